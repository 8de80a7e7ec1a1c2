/** The shuttle of pi: sessions of its terminal, print, JSON and RPC modes, and of omp, which writes the same records and is only read. */
import type { Shuttle } from '../contract/shuttle.ts';
import { piFind } from './find.ts';
import { piLaunch } from './launch.ts';
import { piPresence } from './presence.ts';
import { piReader } from './read/reader.ts';
import { piWrite } from './write.ts';

export const piShuttle: Shuttle = {
  harness: 'pi',
  find: piFind,
  reader: piReader,
  write: piWrite,
  launch: piLaunch,
  presence: piPresence,
};
