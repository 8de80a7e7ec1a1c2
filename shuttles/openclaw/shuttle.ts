/** The shuttle of OpenClaw: sessions of its database (2026.7.2 and later) and of the JSONL files before it. Read only so far. */
import type { Shuttle } from '../contract/shuttle.ts';
import { openclawFind } from './find.ts';
import { openclawPresence } from './presence.ts';
import { openclawReader } from './read/reader.ts';
import { openclawContainer } from './store/container.ts';

export const openclawShuttle: Shuttle = {
  harness: 'openclaw',
  find: openclawFind,
  reader: openclawReader,
  container: openclawContainer,
  write: { absent: 'Loom reads sessions of OpenClaw, but writes none: its database belongs to its gateway alone.' },
  launch: { absent: 'OpenClaw opens a session by its key and through its running gateway, and not by the id of a transcript.' },
  presence: openclawPresence,
};
