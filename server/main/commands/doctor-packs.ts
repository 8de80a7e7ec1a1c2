/** What `loom doctor` says of packs of entries, of what the search index stands for and of records' names: damage in them, and the threads that it hurts. */
import { namedThreads, threadsWith } from '../../ledger/damage.ts';
import { ledgerFile } from '../../ledger/database.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Check } from './doctor.ts';

/** Looked at without `--deep`. */
const sample = 64;
/** Threads are named at most so many. */
const mostNamed = 50;

export function packChecks(ledger: Ledger, deep: boolean): readonly Check[] {
  const { total } = ledger.lookAtPacks(Number.MAX_SAFE_INTEGER);
  const { looked, damaged } = ledger.lookAtPacks(deep ? 1 : Math.max(1, Math.ceil(total / sample)));
  const unread = new Set(damaged.flatMap(({ session, conversation }) => threadsWith(ledger, session, conversation)));
  const unfound = deep ? ledger.documents.damaged() : [];
  const parts = [
    `${looked} of ${total} packs of entries looked at`,
    damaged.length === 0
      ? 'none of them damaged'
      : `${damaged.length} damaged, and what stands in them cannot be read: ${named(ledger, [...unread])}`,
    ...(unfound.length === 0 ? [] : [`search does not find everything in ${named(ledger, unfound)}`]),
  ];
  return [
    {
      id: 'packs',
      ok: damaged.length === 0 && unfound.length === 0,
      detail: parts.join('; '),
      fix: `Everything else is read, found and carried. Open such a thread in Loom: what its session files or the archive still tell is put right by itself. For what is left: ${anew(ledger)}`,
    },
    ...(deep ? keyCheck(ledger) : []),
  ];
}

/** Which names a damaged row has lost nobody can tell: the threads are those that have others in the same rows. */
function keyCheck(ledger: Ledger): readonly Check[] {
  const { rows, threads } = ledger.keys.damaged();
  const among = threads.length === 0 ? '' : `, maybe some of ${named(ledger, threads)}`;
  return [
    {
      id: 'keys',
      ok: rows === 0,
      detail:
        rows === 0
          ? 'the names by which records are known again are whole'
          : `${rows} rows of names by which records are known again are damaged, and have lost some${among}`,
      fix: `Every thread is read, found and carried. A copy, a fork or a rewind that is read from now on may be shown with records twice, or at the end of its thread. To have all names again: ${anew(ledger)}`,
    },
  ];
}

function anew(ledger: Ledger): string {
  return `write session files that are gone back where they lay (loom restore-native THREAD --in-place), close Loom everywhere, rename ${ledgerFile(ledger.folder)} (and keep it), and start Loom: it reads the sessions into a new ledger.`;
}

function named(ledger: Ledger, threads: readonly number[]): string {
  return namedThreads(
    threads.map((thread) => ledger.threads.byNumber(thread)?.id ?? `thread ${thread}`),
    mostNamed,
  );
}
