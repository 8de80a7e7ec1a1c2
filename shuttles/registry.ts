/** The shuttles that this Loom has. Adding a harness is one folder and one line here; the conformance suite runs over it. */
import type { Shuttle } from './contract/shuttle.ts';
import { antigravityShuttle } from './antigravity/shuttle.ts';
import { claudeShuttle } from './claude/shuttle.ts';
import { codexShuttle } from './codex/shuttle.ts';
import { geminiShuttle } from './gemini/shuttle.ts';
import { openclawShuttle } from './openclaw/shuttle.ts';
import { piShuttle } from './pi/shuttle.ts';

export const shuttles: readonly Shuttle[] = [
  claudeShuttle,
  codexShuttle,
  piShuttle,
  geminiShuttle,
  antigravityShuttle,
  openclawShuttle,
];
