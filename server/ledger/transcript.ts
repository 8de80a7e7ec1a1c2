/**
 * Reading a thread's conversations: pages of entries, single entries, the derived context. Never the whole history at once. Pages are for
 * showing, and have stand-ins for what is damaged (`Ledger.readable`); everything else throws `DamagedPack` then.
 */
import type { Entry } from '../engine/records.ts';
import { normalizeContext } from './context.ts';
import type { ContextMessage } from './context.ts';
import { areOneStandIn } from './damage.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';

/** The ledger's own reading of what it stored under these kinds. */
export function asLedgerEntry(entry: Entry): LedgerEntry {
  return {
    id: entry.id,
    conversationId: entry.conversationId,
    kind: entry.kind,
    content: entry.content,
  } as unknown as LedgerEntry;
}

/** The newest `limit` entries of a conversation's transcript, oldest first. `through`: none behind that entry; `before`: none from it on. */
export async function newestEntries(
  ledger: Ledger,
  session: string,
  conversation: number,
  limit: number,
  range: { readonly through?: number; readonly before?: number } = {},
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly older: number }> {
  const engine = await ledger.engine(session);
  return ledger.readable(session, () => {
    const page = engine.entries(conversation, {
      before: range.before ?? Number.MAX_SAFE_INTEGER,
      limit,
      ...(range.through === undefined ? {} : { through: range.through }),
    });
    const entries = page.items.map(asLedgerEntry).toReversed();
    const first = entries[0];
    const older = first === undefined ? 0 : engine.countEntries(conversation, undefined, first.id - 1);
    return { entries: withoutRepeats(entries), older };
  });
}

/** A page in transcript order behind `after`. `next` is undefined at the end. */
export async function entriesAfter(
  ledger: Ledger,
  session: string,
  conversation: number,
  after: number,
  limit: number,
  through?: number,
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly next: number | undefined }> {
  const engine = await ledger.engine(session);
  return ledger.readable(session, () => {
    const page = engine.entries(conversation, { after, limit, ...(through === undefined ? {} : { through }) });
    return { entries: withoutRepeats(page.items.map(asLedgerEntry)), next: page.next };
  });
}

/** Of the stand-ins of one pack the first. */
function withoutRepeats(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.filter((entry, at) => {
    const before = entries[at - 1];
    return before === undefined || !areOneStandIn(before, entry);
  });
}

/** Every entry of a conversation's transcript in order, page by page. */
export async function allEntries(
  ledger: Ledger,
  session: string,
  conversation: number,
  through?: number,
): Promise<readonly LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  let after = 0;
  for (;;) {
    const { entries, next } = await entriesAfter(ledger, session, conversation, after, 2000, through);
    for (const entry of entries) all.push(entry);
    if (next === undefined) return all;
    after = next;
  }
}

/** The same behind the entry `from`, as an iterable that holds one page at a time, for folding over a long conversation. */
export async function entriesInTurn(
  ledger: Ledger,
  session: string,
  conversation: number,
  through?: number,
  from = 0,
): Promise<Iterable<LedgerEntry>> {
  const engine = await ledger.engine(session);
  return (function* () {
    for (let after = from; ;) {
      const page = engine.entries(conversation, { after, limit: 500, ...(through === undefined ? {} : { through }) });
      for (const entry of page.items) yield asLedgerEntry(entry);
      if (page.next === undefined) return;
      after = page.next;
    }
  })();
}

export function entryById(ledger: Ledger, session: string, id: number): LedgerEntry | undefined {
  const entry = ledger.entry(session, id);
  return entry === undefined ? undefined : asLedgerEntry(entry);
}

/** What a model would be given at that entry (or at the end). */
export async function contextOf(
  ledger: Ledger,
  session: string,
  conversation: number,
  through?: number,
): Promise<readonly ContextMessage[]> {
  const engine = await ledger.engine(session);
  const pieces = engine.contextEntries(conversation, through);
  return normalizeContext(
    pieces.map(({ entry, messages }) => {
      const ledgerEntry = asLedgerEntry(entry);
      return {
        id: entry.id,
        kind: entry.kind,
        messageId: ledgerEntry.kind === 'assistant' ? ledgerEntry.content.messageId : undefined,
        baton: ledgerEntry.kind !== 'handoff' ? undefined : ledgerEntry.content.edited === true ? 'edited' : 'compiled',
        harnessMade: ledgerEntry.kind === 'system' || (ledgerEntry.kind === 'user' && ledgerEntry.content.origin === 'harness'),
        relayed: relayedBy(ledgerEntry),
        messages,
      };
    }),
  );
}

/** Who wrote a text in the user role, when it was no person of this machine. */
function relayedBy({ kind, content }: LedgerEntry): 'chat' | 'web' | 'tool' | undefined {
  const { trust } = content.provenance;
  return (kind === 'user' || kind === 'summary') && (trust === 'chat' || trust === 'web' || trust === 'tool') ? trust : undefined;
}
