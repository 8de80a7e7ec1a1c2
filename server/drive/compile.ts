/** Compiles the baton of a thread as it stands now: its current conversation, the worktree as git tells it, and what it left running. */
import type { Baton, ProcessFact, WorldFacts } from '../baton/baton.ts';
import { GrowingBaton } from '../baton/growing-baton.ts';
import type { BatonFrame } from '../baton/finish.ts';
import { isAbsolute } from './folder.ts';
import { grownBaton } from './kept-baton.ts';
import { renderBaton } from '../baton/render.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { entriesInTurn } from '../ledger/transcript.ts';
import type { BatonResult } from '../protocol/requests.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface CompileOptions {
  readonly to: HarnessId | null;
  /** Estimated tokens; null: the default. */
  readonly budget: number | null;
  readonly now: number;
  /** Secret of this ledger, for the fingerprints of masked values. */
  readonly salt: string;
  /** The worktree; null: no repository there, or no folder. */
  readonly facts: (cwd: string) => Promise<WorldFacts | null>;
  /** Those of these processes that are alive; absent: nobody looks. */
  readonly processes?: (pids: readonly number[]) => readonly ProcessFact[];
  /** The reader drove the thread until that entry: a baton of what came since. */
  readonly since?: number;
  /** Keep the state however little it grew. */
  readonly keep?: boolean;
}
export interface CompiledThread {
  readonly baton: Baton;
  readonly result: BatonResult;
}

export async function compileThread(ledger: Ledger, thread: ThreadRow, options: CompileOptions): Promise<CompiledThread> {
  const { to, budget, now, salt, facts, processes, since, keep } = options;
  const growing =
    thread.current_conversation === 0
      ? GrowingBaton.begin(salt, thread.cwd)
      : (await grownBaton(ledger, thread, { salt, ...(keep === undefined ? {} : { keep }) })).baton;
  const natives = ledger.natives.byThread(thread.number).filter((native) => native.child_of === null);
  const pids = growing.state.processes.flatMap((process) => (process.pid === null ? [] : [process.pid]));
  const frame: BatonFrame = {
    thread: {
      id: thread.id,
      title: thread.title,
      harness: thread.harness,
      cwd: thread.cwd,
      branch: thread.branch,
      repo: thread.repo,
      native: natives.filter(({ path }) => path !== '').map((native) => ({ harness: native.harness, id: native.native_id })),
    },
    to,
    now,
    world: isAbsolute(thread.cwd) ? await facts(thread.cwd) : null,
    processes: processes?.(pids) ?? null,
  };
  const baton =
    since === undefined || thread.current_conversation === 0
      ? growing.finish(frame)
      : growing.finishDelta(
          frame,
          since,
          await entriesInTurn(ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined, since),
        );
  return { baton, result: renderBaton(baton, budget === null ? {} : { budgetTokens: budget }) };
}
