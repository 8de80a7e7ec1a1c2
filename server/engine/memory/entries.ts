/** The entries of a session, by id and, for each conversation in order: all of them, by kind, by key, heads. Only ever added to. */
import { countIn, cut, listOf, newestAt } from './ordered.ts';
import type { Range } from '../paging.ts';
import type { Entry, EntryHeader, Id, Json } from '../records.ts';
import type { EntryFilter, EntryReads } from '../rows.ts';

interface Stored {
  readonly id: Id;
  readonly header: EntryHeader;
  /** JSON of the content. */
  readonly text: string;
}
interface Transcript {
  readonly all: Stored[];
  readonly byKind: Map<string, Stored[]>;
  readonly byKey: Map<string, Stored[]>;
  readonly heads: Stored[];
}

export class Entries implements EntryReads {
  readonly #byId = new Map<Id, Stored>();
  readonly #transcripts = new Map<Id, Transcript>();
  readonly #kinds = new Set<string>();

  add(header: EntryHeader, text: string): void {
    const stored = { id: header.id, header, text };
    this.#byId.set(header.id, stored);
    this.#kinds.add(header.kind);
    const { all, byKind, byKey, heads } = this.#transcript(header.conversationId);
    all.push(stored);
    listOf(byKind, header.kind).push(stored);
    if (header.key !== undefined) listOf(byKey, header.key).push(stored);
    if (header.head === true) heads.push(stored);
  }

  get ids(): Iterable<Id> {
    return this.#byId.keys();
  }

  get kinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  byIds(ids: readonly Id[]): Entry[] {
    return this.#found(ids).map(toEntry);
  }

  headersById(ids: readonly Id[]): EntryHeader[] {
    return this.#found(ids).map(toHeader);
  }

  range(conversation: Id, range: Range, limit: number, filter: EntryFilter): Entry[] {
    return this.#cut(conversation, range, limit, filter).map(toEntry);
  }

  headerRange(conversation: Id, range: Range, limit: number, filter: EntryFilter): EntryHeader[] {
    return this.#cut(conversation, range, limit, filter).map(toHeader);
  }

  newestHead(conversation: Id, through: Id): EntryHeader | undefined {
    const head = newestAt(this.#transcripts.get(conversation)?.heads ?? [], through);
    return head === undefined ? undefined : toHeader(head);
  }

  count(conversation: Id, low: Id, high: Id): number {
    return countIn(this.#transcripts.get(conversation)?.all ?? [], low, high);
  }

  #found(ids: readonly Id[]): Stored[] {
    return ids.map((id) => this.#byId.get(id)).filter((stored) => stored !== undefined);
  }

  /** With both filters the key, which few entries share, is the index. */
  #cut(conversation: Id, range: Range, limit: number, { kind, key }: EntryFilter): Stored[] {
    const transcript = this.#transcripts.get(conversation);
    if (transcript === undefined) return [];
    if (key !== undefined) {
      const ofKey = transcript.byKey.get(key) ?? [];
      return kind === undefined ? cut(ofKey, range, limit) : cut(ofKey, range, limit, ({ header }) => header.kind === kind);
    }
    return cut(kind === undefined ? transcript.all : (transcript.byKind.get(kind) ?? []), range, limit);
  }

  #transcript(conversation: Id): Transcript {
    let transcript = this.#transcripts.get(conversation);
    if (transcript === undefined) {
      transcript = { all: [], byKind: new Map(), byKey: new Map(), heads: [] };
      this.#transcripts.set(conversation, transcript);
    }
    return transcript;
  }
}

function toHeader({ header }: Stored): EntryHeader {
  return { ...header };
}

function toEntry({ header, text }: Stored): Entry {
  return { ...header, content: JSON.parse(text) as Json };
}
