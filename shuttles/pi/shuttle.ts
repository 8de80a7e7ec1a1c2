/** The shuttle of pi: sessions of its terminal, print, JSON and RPC modes, and of omp, which writes the same records. Read only so far. */
import type { Shuttle } from '../contract/shuttle.ts';
import { piFind } from './find.ts';
import { piLaunch } from './launch.ts';
import { piPresence } from './presence.ts';
import { piReader } from './read/reader.ts';

export const piShuttle: Shuttle = {
  harness: 'pi',
  find: piFind,
  reader: piReader,
  write: { absent: 'Loom reads sessions of pi and omp, but cannot write one yet that pi would continue.' },
  launch: piLaunch,
  presence: piPresence,
};
