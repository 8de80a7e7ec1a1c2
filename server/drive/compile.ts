/** Compiles the baton of a thread as it stands now: its current conversation, and the worktree as git tells it. */
import type { Baton, WorldFacts } from '../baton/baton.ts';
import { compileBaton } from '../baton/compile.ts';
import { isAbsolute } from './folder.ts';
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
}
export interface CompiledThread {
  readonly baton: Baton;
  readonly result: BatonResult;
}

export async function compileThread(ledger: Ledger, thread: ThreadRow, options: CompileOptions): Promise<CompiledThread> {
  const { to, budget, now, salt, facts } = options;
  const entries =
    thread.current_conversation === 0
      ? []
      : await entriesInTurn(ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
  const natives = ledger.natives.byThread(thread.number).filter((native) => native.child_of === null);
  const baton = compileBaton({
    thread: {
      id: thread.id,
      title: thread.title,
      harness: thread.harness,
      cwd: thread.cwd,
      branch: thread.branch,
      repo: thread.repo,
      native: natives.map((native) => ({ harness: native.harness, id: native.native_id })),
    },
    entries,
    to,
    now,
    world: isAbsolute(thread.cwd) ? await facts(thread.cwd) : null,
    salt,
  });
  return { baton, result: renderBaton(baton, budget === null ? {} : { budgetTokens: budget }) };
}
