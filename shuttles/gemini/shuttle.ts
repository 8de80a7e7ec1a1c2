/** The shuttle of Gemini CLI: its sessions as lines, and the whole JSON files of older versions. */
import type { Shuttle } from '../contract/shuttle.ts';
import { geminiContainer } from './container.ts';
import { geminiFind } from './find.ts';
import { geminiLaunch } from './launch.ts';
import { geminiPresence } from './presence.ts';
import { geminiReader } from './read/reader.ts';
import { geminiWrite } from './write.ts';

export const geminiShuttle: Shuttle = {
  harness: 'gemini',
  find: geminiFind,
  reader: geminiReader,
  container: geminiContainer,
  write: geminiWrite,
  launch: geminiLaunch,
  presence: geminiPresence,
};
