/** The shuttle of Gemini CLI: its sessions as lines, and the whole JSON files of older versions. Read only so far. */
import type { Shuttle } from '../contract/shuttle.ts';
import { geminiContainer } from './container.ts';
import { geminiFind } from './find.ts';
import { geminiLaunch } from './launch.ts';
import { geminiPresence } from './presence.ts';
import { geminiReader } from './read/reader.ts';

export const geminiShuttle: Shuttle = {
  harness: 'gemini',
  find: geminiFind,
  reader: geminiReader,
  container: geminiContainer,
  write: { absent: 'Loom reads sessions of Gemini CLI, but cannot write one yet that Gemini CLI would continue.' },
  launch: geminiLaunch,
  presence: geminiPresence,
};
