/** The shuttle of Antigravity: terminal, desktop app, editor and ACP server (conversations are read, never written). */
import type { Shuttle } from '../contract/shuttle.ts';
import { antigravityContainer } from './store/container.ts';
import { antigravityFind } from './find.ts';
import { antigravityLaunch } from './launch.ts';
import { antigravityPresence } from './presence.ts';
import { antigravityReader } from './read/reader.ts';
import { antigravityWrite } from './write.ts';

export const antigravityShuttle: Shuttle = {
  harness: 'antigravity',
  find: antigravityFind,
  reader: antigravityReader,
  container: antigravityContainer,
  write: antigravityWrite,
  launch: antigravityLaunch,
  presence: antigravityPresence,
};
