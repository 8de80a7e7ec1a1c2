/** The shuttle of Claude Code: sessions of its terminal, editor, desktop and headless forms, and of Claude Desktop's Cowork. */
import type { Shuttle } from '../contract/shuttle.ts';
import { claudeFind } from './find.ts';
import { claudeLaunch } from './launch.ts';
import { claudePresence } from './presence.ts';
import { claudeReader } from './read/reader.ts';
import { claudeWrite } from './write.ts';

export const claudeShuttle: Shuttle = {
  harness: 'claude',
  find: claudeFind,
  reader: claudeReader,
  write: claudeWrite,
  launch: claudeLaunch,
  presence: claudePresence,
};
