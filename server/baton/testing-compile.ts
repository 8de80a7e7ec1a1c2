/** Compiles a baton in one go: the fold over a conversation, finished. Deterministic, no model, no clock, no file. */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Baton, BatonInput } from './baton.ts';
import { GrowingBaton } from './growing-baton.ts';

export function compileBaton(input: BatonInput): Baton {
  const growing = GrowingBaton.begin(input.salt, input.thread.cwd);
  const { thread, to, now, world, processes, since } = input;
  const frame = { thread, to, now, world, processes: processes ?? null };
  const after: LedgerEntry[] = [];
  for (const entry of input.entries) {
    growing.add(entry);
    if (since !== undefined && entry.id > since) after.push(entry);
  }
  return since === undefined ? growing.finish(frame) : growing.finishDelta(frame, since, after);
}
