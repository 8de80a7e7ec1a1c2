/**
 * What each turn of a thread did to its files: the rows of snapshots, the trees' differences and the agents' own records together. What
 * cannot change any more is kept: the differences of two trees, and the facts of a turn that another prompt stands behind.
 */
import fs from 'node:fs';
import { parseFacts } from '../ingest/facts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SnapshotRow } from '../ledger/snapshots-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { entriesInTurn } from '../ledger/transcript.ts';
import type { ThreadChanges, TurnChanges } from '../protocol/world.ts';
import type { Snapshots } from '../world/snapshots.ts';
import type { FileDiff } from '../world/tree-diff.ts';
import { spanChanges } from '../world/turn-changes.ts';
import { turnFacts, withHelpers } from '../world/turn-facts.ts';
import type { Folders, TurnFacts } from '../world/turn-facts.ts';
import { spansOf } from '../world/turn-spans.ts';
import type { Span } from '../world/turn-spans.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';

/** Pairs of trees, and turns, that are remembered. */
const mostKept = 4000;
/** Differences of more files are not kept. */
const largeDiff = 5000;
/** Pairs that one run of git compares. */
const pairsARun = 200;

export class ThreadChangesReader {
  readonly #ledger: Ledger;
  readonly #snapshots: Snapshots;
  readonly #diffs = new Map<string, readonly FileDiff[]>();
  readonly #facts = new Map<string, { readonly facts: TurnFacts; readonly last: number }>();

  constructor(ledger: Ledger, snapshots: Snapshots) {
    this.#ledger = ledger;
    this.#snapshots = snapshots;
  }

  async of(thread: ThreadRow): Promise<ThreadChanges> {
    const table = this.#ledger.snapshots;
    const rows = table?.ofThread(thread.number) ?? [];
    const turns: TurnChanges[] = [];
    let untold = 0;
    for (const worktree of new Set(rows.map((row) => row.worktree))) {
      const root = table?.worktree(worktree)?.root ?? '';
      const all = (table?.ofWorktree(worktree, -1) ?? []).toReversed();
      const facts = new Map<string, TurnFacts>();
      const own = all.filter((row) => row.thread === thread.number);
      await this.#learn(own, root, facts);
      const { spans, untold: more } = spansOf(all, thread.number, (entry) => facts.get(`${thread.number}:${entry}`));
      untold += more;
      const beside = new Set(spans.flatMap((span) => span.beside.map((turn) => `${turn.thread}:${turn.entry}`)));
      const others = all.filter((row) => beside.has(`${row.thread}:${row.entry}`));
      await this.#learn(others, root, facts);
      const diffs = await this.#differences(spans);
      for (const [index, span] of spans.entries()) turns.push(this.#turn(thread, span, diffs[index] ?? [], facts, turns.at(-1)));
    }
    turns.sort((a, b) => a.before - b.before);
    const own = turns.filter(({ entry }) => entry !== null);
    const named = own.flatMap(({ files }) => files.filter(({ by }) => by !== 'between'));
    const newest = rows.at(-1);
    return {
      thread: thread.id,
      worktree: newest === undefined ? null : (table?.worktree(newest.worktree)?.root ?? null),
      reason: await this.#reason(thread, rows, own.length, untold),
      turns,
      files: new Set(named.map(({ path }) => path)).size,
      added: named.reduce((sum, { added }) => sum + (added ?? 0), 0),
      removed: named.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
    };
  }

  #turn(
    thread: ThreadRow,
    span: Span,
    diffs: readonly FileDiff[],
    facts: ReadonlyMap<string, TurnFacts>,
    last: TurnChanges | undefined,
  ): TurnChanges {
    const own = span.entry === null ? undefined : facts.get(`${thread.number}:${span.entry}`);
    const others = span.beside.flatMap(({ thread: other, entry }) => facts.get(`${other}:${entry}`) ?? []);
    const beside = new Set(span.beside.map(({ thread: other }) => this.#ledger.threads.byNumber(other)?.id ?? String(other)));
    return {
      entry: span.entry,
      conversation: span.conversation,
      last: own?.last ?? null,
      harness: own?.harness ?? last?.harness ?? thread.harness,
      before: span.before.number,
      after: span.after.number,
      ...spanChanges(span, diffs, own, others),
      beside: [...beside],
    };
  }

  async #differences(spans: readonly Span[]): Promise<readonly (readonly FileDiff[])[]> {
    const keyOf = ({ before, after }: Span): string => `${before.tree} ${after.tree}`;
    const wanted = spans.filter((span) => !this.#diffs.has(keyOf(span)));
    const fresh = new Map<string, readonly FileDiff[]>();
    for (let from = 0; from < wanted.length; from += pairsARun) {
      const some = wanted.slice(from, from + pairsARun);
      const diffs = await this.#snapshots.diffs(some.map(({ before, after }) => [before.number, after.number]));
      for (const [index, span] of some.entries()) fresh.set(keyOf(span), diffs[index] ?? []);
    }
    for (const [key, diff] of fresh) if (diff.length <= largeDiff) keep(this.#diffs, key, diff);
    return spans.map((span) => fresh.get(keyOf(span)) ?? this.#diffs.get(keyOf(span)) ?? []);
  }

  /** The facts of every turn of these rows, by thread and entry. */
  async #learn(rows: readonly SnapshotRow[], root: string, out: Map<string, TurnFacts>): Promise<void> {
    for (const { thread: number, conversation, entry } of rows) {
      const key = `${number}:${entry}`;
      if (number === null || conversation === null || entry === null || out.has(key)) continue;
      const thread = this.#ledger.threads.byNumber(number);
      if (thread === undefined) continue;
      const last = this.#ledger.branches.get(thread.session, conversation)?.last_entry ?? 0;
      const known = this.#facts.get(key);
      const facts =
        known !== undefined && (known.facts.closed || known.last === last)
          ? known.facts
          : await this.#read(thread, conversation, entry, foldersOf(root, folderOf(this.#ledger, thread)));
      if (facts === undefined) continue;
      out.set(key, facts);
      keep(this.#facts, key, { facts, last });
    }
  }

  async #read(thread: ThreadRow, conversation: number, entry: number, folders: Folders): Promise<TurnFacts | undefined> {
    if (!this.#ledger.hasSession(thread.session)) return undefined;
    const entries = await entriesInTurn(this.#ledger, thread.session, conversation, undefined, entry - 1);
    const facts = turnFacts(entries, folders);
    if (facts?.entry !== entry) return undefined;
    return facts.helped ? withHelpers(facts, await this.#helpers(thread, entry), folders) : facts;
  }

  /** What the thread's subagents did since. */
  async #helpers(thread: ThreadRow, entry: number): Promise<readonly LedgerEntry[]> {
    const out: LedgerEntry[] = [];
    for (const native of this.#ledger.natives.byThread(thread.number)) {
      if (native.child_of === null) continue;
      for (const { session, conversation, last_entry } of this.#ledger.branches.byNative(native.number))
        if (last_entry > entry) out.push(...(await entriesInTurn(this.#ledger, session, conversation, undefined, entry)));
    }
    return out;
  }

  async #reason(thread: ThreadRow, rows: readonly SnapshotRow[], told: number, untold: number): Promise<string | null> {
    if (rows.length === 0) {
      const worktree = await this.#snapshots.worktreeOf(folderOf(this.#ledger, thread));
      if ('none' in worktree) return worktree.text;
      return 'No turn of it was seen while it went on: snapshots are taken of turns that begin while Loom runs.';
    }
    const missing = Math.max(untold, thread.turns - told);
    if (missing <= 0) return null;
    return `${missing} of ${Math.max(thread.turns, told + untold)} turns cannot be told: Loom did not run when they began, or their snapshots were dropped.`;
  }
}

/** The folder that the thread's agent works in now, as its records spell it. */
export function folderOf(ledger: Ledger, thread: ThreadRow): string {
  const native = thread.current_native === null ? undefined : ledger.natives.byNumber(thread.current_native);
  return (native === undefined ? undefined : parseFacts(native.facts).cwd) ?? thread.cwd;
}

function foldersOf(root: string, cwd: string): Folders {
  try {
    return { root, cwd, realCwd: cwd === '' ? root : fs.realpathSync.native(cwd) };
  } catch {
    return { root, cwd, realCwd: cwd };
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > mostKept) for (const oldest of map.keys()) if (map.delete(oldest)) break;
}
