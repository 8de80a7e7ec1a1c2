/** Compiles a baton in one go: the fold over a conversation, finished. Deterministic, no model, no clock, no file. */
import type { Baton, BatonInput } from './baton.ts';
import { emptyState } from './baton-state.ts';
import { finishBaton } from './finish.ts';
import { foldEntry } from './fold.ts';
import { createMasker } from './mask.ts';

export function compileBaton(input: BatonInput): Baton {
  const masker = createMasker(input.salt);
  let state = { ...emptyState, cwd: input.thread.cwd };
  for (const entry of input.entries) state = foldEntry(state, entry, masker);
  return finishBaton(state, { thread: input.thread, to: input.to, now: input.now, world: input.world }, masker);
}
