/** What `loom doctor` says of the archive: how much is kept, what is not and why, damage, and threads whose files are gone. */
import { absentWords } from '../../ledger/archive-absent.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { restorableFiles } from '../restored-files.ts';
import type { Check } from './doctor.ts';

/** Pieces that are looked at without `--deep`. */
const sample = 64;

export function archiveChecks(ledger: Ledger, deep: boolean): readonly Check[] {
  return [archiveCheck(ledger, deep), ...goneCheck(ledger)];
}

function archiveCheck(ledger: Ledger, deep: boolean): Check {
  const { native, stored, pieces, absent } = ledger.archive.totals();
  const { looked, sources } = ledger.archive.damaged(deep ? 1 : Math.max(1, Math.ceil(pieces / sample)));
  const damaged = sources.map((number) => ledger.sources.byNumber(number)?.path ?? `source ${number}`);
  const kept =
    native === 0
      ? 'no session files are archived yet'
      : `${megabytes(native)} MB of session files in ${megabytes(stored)} MB (${Math.round((100 * stored) / native)} %)`;
  const without = absent.map(
    ({ reason, count }) => `not in it: ${count === 1 ? '1 file that' : `${count} files, each of which`} ${absentWords[reason]}`,
  );
  const harmed = damaged.length === 0 ? 'none of them damaged' : `damage in ${damaged.join(', ')}`;
  return {
    id: 'archive',
    ok: damaged.length === 0,
    detail: [kept, ...without, `${looked} of ${pieces} pieces looked at, ${harmed}`].join('; '),
    fix: 'Everything else can be restored, and the threads themselves are whole. Where the session file is still there, nothing is lost: keep it.',
  };
}

function goneCheck(ledger: Ledger): readonly Check[] {
  const gone = ledger.threads.newest(1_000_000).filter((row) => row.source_gone === 1);
  if (gone.length === 0) return [];
  const whole = gone.filter((row) => {
    const { sets, missing } = restorableFiles(ledger, row);
    return sets.length > 0 && missing.length === 0;
  });
  return [
    {
      id: 'source-gone',
      ok: true,
      detail: `${gone.length === 1 ? '1 thread is' : `${gone.length} threads are`} only in the ledger: their session files are gone. ${whole.length} can be written back whole (loom restore-native)`,
      fix: '',
    },
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
