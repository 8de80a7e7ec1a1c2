/** The shuttle of Antigravity: terminal, desktop app, editor and ACP server. Read only so far. */
import type { Shuttle } from '../contract/shuttle.ts';
import { antigravityContainer } from './store/container.ts';
import { antigravityFind } from './find.ts';
import { antigravityLaunch } from './launch.ts';
import { antigravityPresence } from './presence.ts';
import { antigravityReader } from './read/reader.ts';

export const antigravityShuttle: Shuttle = {
  harness: 'antigravity',
  find: antigravityFind,
  reader: antigravityReader,
  container: antigravityContainer,
  write: { absent: 'Loom reads conversations of Antigravity, but cannot write one yet that Antigravity would continue.' },
  launch: antigravityLaunch,
  presence: antigravityPresence,
};
