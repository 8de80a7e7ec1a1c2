/** Interim. */
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { BatonResult } from '../protocol/requests.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
export async function compileThread(_ledger: Ledger, thread: ThreadRow, _to: HarnessId | null, _budget: number | null, _now: number, _salt: string): Promise<{ readonly result: BatonResult; readonly baton: object; readonly thin: string | null }> {
  const markdown = `# ${thread.title}`;
  return { result: { markdown, bytes: markdown.length, tokens: 1, masked: 0, quoted: 0 }, baton: {}, thin: null };
}
