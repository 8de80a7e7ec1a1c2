/** The Codex shuttle. Formats as seen in Codex CLI 0.20 to 0.171. */
import type { Shuttle } from '../contract/shuttle.ts';
import { codexFind } from './find.ts';
import { codexLaunch } from './launch.ts';
import { codexPresence } from './presence.ts';
import { codexReader } from './read/reader.ts';
import { codexWrite } from './write.ts';

export const codexShuttle: Shuttle = {
  harness: 'codex',
  find: codexFind,
  reader: codexReader,
  write: codexWrite,
  launch: codexLaunch,
  presence: codexPresence,
};
