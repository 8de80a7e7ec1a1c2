/** Everything that a person could see of a ledger, as one comparable value: independent of entry ids and of the order of reading. */
import type { Ledger } from '../../server/ledger/ledger.ts';
import { allEntries } from '../../server/ledger/transcript.ts';

export async function ledgerText(ledger: Ledger): Promise<unknown> {
  const threads = [];
  for (const row of ledger.threads.newest(10_000)) {
    const conversations = [];
    for (const native of ledger.natives.byThread(row.number)) {
      for (const branch of ledger.branches.byNative(native.number)) {
        const entries = await allEntries(ledger, row.session, branch.conversation);
        conversations.push({
          native: native.native_id,
          current: branch.conversation === row.current_conversation,
          entries: entries.map(({ kind, content: { provenance, ...content } }) => [
            kind,
            provenance.offset,
            provenance.length,
            'retainFrom' in content ? { ...content, retainFrom: 0 } : content,
          ]),
        });
      }
    }
    const search = ledger.documents.match('"the"*', { thread: row.number }, 1000).length;
    threads.push({
      id: row.id,
      title: row.title,
      turns: row.turns,
      count: row.entries,
      usage: [row.usage_input, row.usage_output],
      search,
      conversations,
    });
  }
  return threads.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
