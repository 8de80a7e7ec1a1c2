/**
 * One session told by several files in different quality (`Reader.ranked`): only the best one is read. When a better one appears, what
 * was read of the worse goes out of the thread in the same transaction that the better one's first records come in: its conversations
 * are no longer shown, found or counted. The engine keeps their entries, which are immutable. What stands beside the told session
 * (plans, notes) is read again, so that it stands in the new conversation.
 */
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { SourceIdentity } from '../../shuttles/contract/read.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';

/** What stands in the row of a source that is not read, since a better one tells its session (`sources.fault`). */
export const passedOver = 'a better file tells this session';

/**
 * `better`: the session has been read from a better file. `worse`: numbers of the worse ones that it has been read from, of which this
 * very file may be one, when it could be read less well before.
 */
export function standings(
  ledger: Ledger,
  ranked: readonly string[],
  row: SourceRow,
  identity: SourceIdentity,
  harness: HarnessId,
): { readonly better: boolean; readonly worse: readonly number[] } {
  const rank = ranked.indexOf(identity.part);
  const native = rank < 0 ? undefined : ledger.natives.byNativeId(harness, identity.nativeId);
  if (native === undefined) return { better: false, worse: [] };
  const others = ledger.sources.byNative(native.number).filter(({ status }) => wasRead(status));
  const ranks = others.map(({ number, part }) => ({ number, rank: ranked.indexOf(part) })).filter((other) => other.rank >= 0);
  return {
    better: ranks.some((other) => other.number !== row.number && other.rank < rank),
    worse: ranks.filter((other) => other.rank > rank).map(({ number }) => number),
  };
}

/** A file that is gone has been read: what it told is kept. */
function wasRead(status: SourceRow['status']): boolean {
  return status === 'current' || status === 'reading' || status === 'gone';
}

/** Inside the transaction of the better source's first commit, before its own keys and branches are written. */
export function withdraw(ledger: Ledger, native: NativeRow, by: number, worse: readonly number[]): void {
  const branches = ledger.branches.byNative(native.number);
  ledger.indexWaiting();
  for (const { session, conversation } of branches) {
    ledger.keys.forget(session, conversation);
    ledger.documents.remove(native.thread, session, conversation);
    ledger.branches.remove(session, conversation);
  }
  ledger.keys.forgetAliases(native.number);
  const thread = ledger.threads.byNumber(native.thread);
  if (thread !== undefined) {
    const entries = thread.entries - branches.reduce((sum, branch) => sum + branch.entries, 0);
    ledger.threads.update({
      ...thread,
      entries: Math.max(0, entries),
      turns: native.child_of === null ? 0 : thread.turns,
    });
  }
  for (const source of ledger.sources.byNative(native.number)) {
    if (source.number === by) continue;
    const start = { offset: 0, position_conversation: 0, position_entry: 0 };
    if (worse.includes(source.number)) {
      // Without its part it no longer counts as read.
      const status = source.status === 'gone' ? 'gone' : 'ignored';
      ledger.sources.update({ ...source, ...start, part: '', status, fault: passedOver });
      continue;
    }
    if (source.status === 'gone') continue;
    ledger.sources.update({ ...source, ...start, status: 'new' });
    // A session in a container is read when the container is opened.
    const hash = source.path.lastIndexOf('#');
    const container = hash < 0 ? undefined : ledger.sources.byPath(source.path.slice(0, hash));
    if (container !== undefined) ledger.sources.update({ ...container, status: 'reading' });
  }
}
