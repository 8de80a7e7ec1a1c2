/** The shuttles that this Loom has. Adding a harness is one folder and one line here; the conformance suite runs over it. */
import type { Shuttle } from './contract/shuttle.ts';
import { claudeShuttle } from './claude/shuttle.ts';
import { codexShuttle } from './codex/shuttle.ts';

export const shuttles: readonly Shuttle[] = [claudeShuttle, codexShuttle];
