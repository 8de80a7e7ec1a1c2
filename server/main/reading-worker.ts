/** The entry of the thread that reads sources for an import (server/ingest/reading-worker.ts). Ends with the thread that started it. */
import { parentPort } from 'node:worker_threads';
import { serveReadings } from '../ingest/reading-worker.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { DiskSidecars } from './sidecars.ts';

if (parentPort !== null) serveReadings(parentPort, shuttles, new DiskSidecars());
