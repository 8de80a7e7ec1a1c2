/** What `loom doctor` says of threads that changed hands: how many there are, and which of them are in conflict. */
import type { Ledger } from '../../ledger/ledger.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import type { Check } from './doctor.ts';

/** Named are at most so many. */
const most = 5;

export function leaseChecks(ledger: Ledger): readonly Check[] {
  const held = ledger.leases?.count() ?? 0;
  if (held === 0) return [];
  const open = ledger.conflicts?.allOpen() ?? [];
  const named = open.slice(0, most).map(({ thread, native, entries }) => {
    const session = ledger.natives.byNumber(native);
    const who = session === undefined ? 'another session' : harnessNames[session.harness];
    return `${ledger.threads.byNumber(thread)?.id ?? thread} (${who} went on with ${entries} ${entries === 1 ? 'entry' : 'entries'})`;
  });
  const threads = `${held} ${held === 1 ? 'thread has' : 'threads have'} changed hands`;
  const conflicts =
    open.length === 0
      ? 'none is in conflict'
      : `in conflict: ${named.join(', ')}${open.length > most ? ` and ${open.length - most} more` : ''}`;
  return [
    {
      id: 'leases',
      ok: open.length === 0,
      detail: `${threads}; ${conflicts}`,
      fix: 'Open the thread in Loom, or say `loom conflicts keep THREAD` (it stays where it was carried to) or `loom conflicts follow THREAD` (the session that went on gets it).',
    },
  ];
}
