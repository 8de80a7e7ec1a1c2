/**
 * The rules of exchanges, heads, edits and forks said plainly: forward over the whole transcript, with no index and no stop. What the
 * line accepts, and what the context is, can only agree with it by both being right.
 */
import type { EntryKind, Exchange, Kinds } from '../kinds.ts';
import type { Entry, Id } from '../records.ts';

export interface ModelEntry<Message> {
  readonly entry: Entry<unknown>;
  readonly kind: EntryKind<unknown, Message>;
}
interface Call {
  readonly call: string;
  readonly by: Entry<unknown>;
}
/** What became of the calls of a part of a transcript. */
interface Played {
  readonly open: readonly Call[];
  readonly answered: readonly { readonly call: Call; readonly result: Id }[];
}
type Refusal = 'exchange' | 'headMovesBack' | 'notVisible';

export class ExchangeModel<Message> {
  readonly #kinds: Kinds<Message>;
  readonly #parents = new Map<Id, { readonly conversationId: Id; readonly at: Id } | undefined>();
  readonly #entries: ModelEntry<Message>[] = [];

  constructor(kinds: Kinds<Message>) {
    this.#kinds = kinds;
  }

  get conversations(): readonly Id[] {
    return [...this.#parents.keys()];
  }

  create(id: Id, parent?: { readonly conversationId: Id; readonly at: Id }): void {
    this.#parents.set(id, parent);
  }

  transcript(conversation: Id, through: Id = Infinity): readonly ModelEntry<Message>[] {
    const parent = this.#parents.get(conversation);
    const inherited = parent === undefined ? [] : this.transcript(parent.conversationId, parent.at);
    return [...inherited, ...this.#entries.filter(({ entry }) => entry.conversationId === conversation)].filter(
      ({ entry }) => entry.id <= through,
    );
  }

  add(entry: Entry<unknown>): void {
    this.#entries.push({ entry, kind: this.#kinds.entry(entry.kind) });
  }

  /** Takes back what was added last: its commit was refused. */
  takeBack(count: number): void {
    this.#entries.splice(this.#entries.length - count, count);
  }

  /** Calls that wait for a result. */
  open(conversation: Id): readonly string[] {
    return play(this.#range(this.transcript(conversation))).open.map(({ call }) => call);
  }

  refusal(entry: Entry<unknown>): Refusal | undefined {
    const kind = this.#kinds.entry(entry.kind);
    const transcript = this.transcript(entry.conversationId);
    const sees = (id: Id) => transcript.some((one) => one.entry.id === id);
    for (const { target } of kind.edit?.(typed(entry)) ?? []) if (!sees(target)) return 'notVisible';
    const range = this.#range(transcript);
    const played = play(range);
    if (kind.head !== undefined) {
      const from = kind.head(typed(entry));
      if (from !== entry.id && !sees(from)) return 'notVisible';
      if (from < this.#begin(transcript)) return 'headMovesBack';
      if (kind.exchange !== undefined && cuts(range, played, from, entry.conversationId)) return 'exchange';
    }
    const { answers } = exchangeOf({ entry, kind });
    return answers !== undefined && !played.open.some(({ call }) => call === answers) ? 'exchange' : undefined;
  }

  context(conversation: Id, through?: Id): readonly { readonly id: Id; readonly messages: readonly Message[] }[] {
    const transcript = this.transcript(conversation, through);
    const head = transcript.findLast(({ kind }) => kind.head !== undefined);
    const range = this.#range(transcript);
    const edits = range.flatMap(({ entry, kind }) => kind.edit?.(typed(entry)) ?? []);
    return [...(head === undefined ? [] : [head]), ...range.filter(({ kind }) => kind.head === undefined)].flatMap(
      ({ entry, kind }) => {
        if (kind.project === undefined) return [];
        const edit = edits.findLast(({ target }) => target === entry.id);
        if (edit?.action === 'omit') return [];
        return [{ id: entry.id, messages: edit?.action === 'replace' ? edit.messages : kind.project(typed(entry)) }];
      },
    );
  }

  #begin(transcript: readonly ModelEntry<Message>[]): Id {
    const head = transcript.findLast(({ kind }) => kind.head !== undefined);
    return head?.kind.head?.(typed(head.entry)) ?? 0;
  }

  #range(transcript: readonly ModelEntry<Message>[]): readonly ModelEntry<Message>[] {
    const begin = this.#begin(transcript);
    return transcript.filter(({ entry }) => entry.id >= begin);
  }
}

/** Forward: an answer takes the newest open call of its id; what starts leaves nothing open. */
function play<Message>(entries: readonly ModelEntry<Message>[]): Played {
  let open: Call[] = [];
  const answered: { call: Call; result: Id }[] = [];
  for (const one of entries) {
    const { answers, starts, calls = [] } = exchangeOf(one);
    const taken = open.findLastIndex(({ call }) => call === answers);
    for (const call of taken === -1 ? [] : open.splice(taken, 1)) answered.push({ call, result: one.entry.id });
    if (starts === true) open = [];
    for (const call of calls) open.push({ call, by: one.entry });
  }
  return { open, answered };
}

function cuts<Message>(range: readonly ModelEntry<Message>[], { open, answered }: Played, from: Id, conversation: Id): boolean {
  if (answered.some(({ call, result }) => call.by.id < from && result >= from)) return true;
  if (open.some(({ by }) => by.id < from && by.conversationId === conversation)) return true;
  return range.some((one, i) => {
    if (one.entry.id >= from || exchangeOf(one).governs !== true) return false;
    const begins = [one, ...range.slice(i + 1)].find((next, n) => {
      const { starts, calls = [] } = exchangeOf(next);
      return n > 0 && (starts === true || calls.length > 0);
    });
    return begins !== undefined && begins.entry.id >= from;
  });
}

function exchangeOf<Message>({ entry, kind }: ModelEntry<Message>): Exchange {
  return kind.exchange?.(typed(entry)) ?? {};
}

function typed(entry: Entry<unknown>): Entry {
  return entry as Entry;
}
