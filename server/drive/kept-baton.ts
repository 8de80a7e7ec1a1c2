/**
 * Batons that are kept beside their conversation. Taken up from its own kept state, else from that of the conversation it was forked
 * from as far as both share history, else made anew; folded through what came after, a page at a time, so that the process
 * stays responsive; stored again by who may write. What comes of it is that of folding all at once.
 */
import type { KeptBaton } from '../baton/growing-baton.ts';
import { GrowingBaton } from '../baton/growing-baton.ts';
import { stateVersion } from '../baton/baton-state.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { asLedgerEntry } from '../ledger/transcript.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Message } from '../../shuttles/contract/message.ts';

export interface GrowOptions {
  /** Secret of this ledger, for the fingerprints of masked values. */
  readonly salt: string;
  /** At most so many entries are folded; absent: all. */
  readonly most?: number;
  /** Store it however little it grew. */
  readonly keep?: boolean;
}
export interface Grown {
  readonly baton: GrowingBaton;
  /** Entries that were folded now. */
  readonly folded: number;
  /** There are more. */
  readonly more: boolean;
}

/** Grown by fewer entries it is not worth writing again. */
const worthKeeping = 64;
/** Entries that are folded at once. */
const pageEntries = 500;

/** `thread` has a conversation. The engine's session must not be deleted meanwhile. */
export async function grownBaton(ledger: Ledger, thread: ThreadRow, options: GrowOptions): Promise<Grown> {
  using held = await ledger.hold(thread.session);
  const { engine } = held;
  const most = options.most ?? Number.POSITIVE_INFINITY;
  const end = thread.current_entry ?? Number.MAX_SAFE_INTEGER;
  const kept = takenUp(ledger, engine, thread, end, options.salt);
  const baton = kept?.baton ?? GrowingBaton.begin(options.salt, thread.cwd);
  let after = kept?.through ?? 0;
  let folded = 0;
  let more = false;
  for (;;) {
    const page = engine.entries(thread.current_conversation, {
      after,
      limit: Math.min(pageEntries, most - folded),
      ...(thread.current_entry === null ? {} : { through: end }),
    });
    for (const entry of page.items) {
      baton.add(asLedgerEntry(entry));
      after = entry.id;
    }
    folded += page.items.length;
    more = page.next !== undefined;
    if (!more || folded >= most) break;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const isOwn = kept !== undefined && kept.conversation === thread.current_conversation;
  if (folded >= worthKeeping || (options.keep === true && (folded > 0 || !isOwn))) store(ledger, thread, baton, after);
  return { baton, folded, more };
}

/** Is the kept state of this version and at the conversation's end? Costs two look-ups and reads no state. */
export async function isGrown(ledger: Ledger, thread: ThreadRow): Promise<boolean> {
  const place = ledger.batonStates?.place(thread.session, thread.current_conversation);
  if (place?.version !== stateVersion) return false;
  const engine = await ledger.engine(thread.session);
  return engine.entries(thread.current_conversation, { after: place.through, limit: 1 }).items.length === 0;
}

interface TakenUp {
  readonly baton: GrowingBaton;
  readonly through: number;
  readonly conversation: number;
}

function takenUp(ledger: Ledger, engine: Engine<Message>, thread: ThreadRow, end: number, salt: string): TakenUp | undefined {
  const entryOf = (id: number): LedgerEntry | undefined => {
    const entry = engine.getEntry(id);
    return entry === undefined ? undefined : asLedgerEntry(entry);
  };
  let conversation = thread.current_conversation;
  let shared = end;
  for (;;) {
    const place = ledger.batonStates?.place(thread.session, conversation);
    if (place !== undefined && place.through <= shared) {
      const row = ledger.batonStates?.get(thread.session, conversation);
      const baton = row === undefined ? undefined : GrowingBaton.resume(parsed(row.state), salt, thread.cwd, entryOf);
      if (baton !== undefined && row !== undefined) return { baton, through: row.through, conversation };
    }
    const parent = engine.conversation(conversation)?.snapshot()?.parent;
    if (parent === undefined) return undefined;
    conversation = parent.conversationId;
    shared = Math.min(shared, parent.at);
  }
}

function store(ledger: Ledger, thread: ThreadRow, baton: GrowingBaton, through: number): void {
  const { batonStates } = ledger;
  if (ledger.readonly || batonStates === undefined || through === 0) return;
  const kept = baton.keep();
  ledger.transact(() =>
    batonStates.put(thread.session, thread.current_conversation, {
      version: kept.version,
      through,
      state: JSON.stringify(kept),
    }),
  );
}

/** Loom's own text, of this version or another one, or what damage left of it: `resume` looks at the version before anything else. */
function parsed(text: string): Partial<KeptBaton> {
  try {
    const value = JSON.parse(text) as Partial<KeptBaton> | null;
    return value ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
