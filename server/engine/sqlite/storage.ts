/**
 * One session in a SQLite file, by the storage port. Holds no rows: every read is an indexed query, and nothing is kept of
 * what was read. The last sequence number is read from the file, so that another process's reader is never behind it.
 */
import { Rejected } from '../errors.ts';
import type {
  Address,
  CommitBatch,
  Conversation,
  Element,
  Entry,
  EntryHeader,
  Id,
  Json,
  List,
  Task,
  Value,
  Version,
} from '../records.ts';
import { end } from '../storage.ts';
import type { ConversationQuery, EntryQuery, ListQuery, Page, Storage, TaskQuery, ValueQuery } from '../storage.ts';
import type { Order } from './entry-rows.ts';
import { pageLimit, rangeOf, toPage } from './paging.ts';
import { readRewindable } from './read-list.ts';
import { nextVersionKey, readVersion, scanKeys } from './read-value.ts';
import { readSegments, segments } from './segments.ts';
import type { Segment } from './segments.ts';
import type { Tables } from './tables.ts';
import type { Transaction } from './transaction.ts';
import { storedKey } from './value-rows.ts';
import { statePlace, writeBatch } from './write.ts';

export class SqliteStorage implements Storage {
  readonly #tables: Tables;
  readonly #transaction: Transaction;
  readonly #session: number;
  /** Kinds that are surely in the file: only added to once their commit is durable. */
  readonly #knownKinds = new Set<string>();
  #closed = false;

  constructor(tables: Tables, transaction: Transaction, session: number) {
    this.#tables = tables;
    this.#transaction = transaction;
    this.#session = session;
  }

  /** The session's number in the file, for those who keep rows of their own beside it. */
  get session(): number {
    return this.#session;
  }

  get lastSeq(): Id {
    return this.#tables.sessions.lastSeq(this.#session);
  }

  get kinds(): ReadonlySet<string> {
    return new Set(this.#tables.sessions.kinds(this.#session));
  }

  async commit(batch: CommitBatch, within?: () => void): Promise<{ readonly first: Id; readonly last: Id }> {
    if (this.#closed) throw new Rejected('closed', 'the session is closed');
    if (batch.writes.length === 0 && within === undefined) return { first: this.lastSeq + 1, last: this.lastSeq };
    const { newKinds, ...written } = this.#transaction.run(() => this.#write(batch, within));
    for (const kind of newKinds) this.#knownKinds.add(kind);
    return written;
  }

  getConversations(ids: readonly Id[]): ReadonlyMap<Id, Conversation> {
    return byId(this.#tables.conversations.byIds(this.#session, ids));
  }

  scanConversations(query: ConversationQuery): Page<Conversation> {
    const { conversations } = this.#tables;
    const { low, high, order } = rangeOf(query);
    const limit = pageLimit(query);
    const { parent, ownedFrom } = query;
    if (ownedFrom !== undefined) {
      return toPage(conversations.ownedFrom(this.#session, order, ownedFrom, parent, low, high, limit + 1), limit, this.lastSeq);
    }
    const rows =
      parent === undefined
        ? conversations.all(this.#session, order, low, high, limit + 1)
        : conversations.byParent(this.#session, order, parent, low, high, limit + 1);
    return toPage(rows, limit, this.lastSeq);
  }

  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry> {
    return byId(this.#tables.entries.entriesById(this.#session, ids));
  }

  getEntryHeaders(ids: readonly Id[]): ReadonlyMap<Id, EntryHeader> {
    return byId(this.#tables.entries.headersById(this.#session, ids));
  }

  scanEntries(query: EntryQuery): Page<EntryHeader> {
    return this.#scanEntries(query, this.#tables.entries.headers);
  }

  readEntries(query: EntryQuery): Page<Entry> {
    return this.#scanEntries(query, this.#tables.entries.entries);
  }

  newestHead(conversationId: Id, at: Id): EntryHeader | undefined {
    for (const segment of this.#chain(conversationId, at)) {
      const head = this.#tables.entries.newestHead(this.#session, segment.conversation, segment.through);
      if (head !== undefined) return head;
    }
    return undefined;
  }

  countEntries(conversationId: Id, from: Id = 1, through: Id = end): number {
    let count = 0;
    for (const segment of this.#chain(conversationId, through)) {
      if (segment.through < from) break;
      count += this.#tables.entries.count(this.#session, segment.conversation, from, segment.through);
    }
    return count;
  }

  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task> {
    return byId(this.#tables.tasks.byIds(this.#session, ids));
  }

  scanTasks(query: TaskQuery): Page<Task> {
    const { low, high } = rangeOf(query);
    const limit = pageLimit(query);
    return toPage(this.#tables.tasks.scan(this.#session, query, low, high, limit + 1), limit, this.lastSeq);
  }

  getValue<T>(addr: Value<T>, at?: Id): Version<T> | undefined {
    return this.#value(addr, at) as Version<T> | undefined;
  }

  scanValues({
    scope,
    namespace,
    rewind = false,
    after,
    limit,
  }: ValueQuery): Page<{ readonly key: string; readonly version: Version<Json> }> {
    const { values, scratch } = this.#tables;
    const session = this.#session;
    const place = (id: Id, key: string): [number, Id, string, string] => [session, id, namespace, key];
    const scan = (next: (key: string) => string | undefined, read: (key: string) => Version<Json> | undefined) => ({
      items: scanKeys(after, limit, next, read),
      readAt: this.lastSeq,
    });
    if ('scratch' in scope) {
      const task = scope.scratch;
      return scan(
        (key) => scratch.nextKey(place(task, key)),
        (key) => scratch.value(place(task, key)),
      );
    }
    if ('session' in scope)
      return scan(
        (key) => values.nextKey(place(0, key)),
        (key) => values.current(place(0, key)),
      );
    const { conversation } = scope;
    const chain = [...this.#chain(conversation, end)];
    if (chain.length === 0) return { items: [], readAt: this.lastSeq };
    if (!rewind)
      return scan(
        (key) => values.nextKey(place(conversation, key)),
        (key) => values.current(place(conversation, key)),
      );
    return scan(
      (key) => nextVersionKey(values, session, namespace, key, chain),
      (key) => readVersion(values, session, namespace, key, chain),
    );
  }

  readList<T>(addr: List<T>, query: ListQuery): Page<Element<T>> {
    const limit = pageLimit(query);
    const range = rangeOf(query);
    checkRewind(addr, query.at);
    const items = this.#list(addr, query.at ?? end, range, limit + 1);
    return toPage(items, limit, this.lastSeq) as Page<Element<T>>;
  }

  /** Ends this handle; the connection is its opener's. */
  async close(): Promise<void> {
    this.#closed = true;
  }

  #write(batch: CommitBatch, within: (() => void) | undefined) {
    const first = this.lastSeq + 1;
    const last = first + batch.writes.length - 1;
    if (!Number.isSafeInteger(last)) throw new Rejected('sequence', 'the session has no sequence numbers left');
    const newKinds = writeBatch(this.#tables, this.#session, batch, first, this.#knownKinds);
    within?.();
    if (last >= first) this.#tables.sessions.advance(this.#session, first, last);
    return { first, last, newKinds };
  }

  #chain(conversation: Id, through: Id): Iterable<Segment> {
    return segments(this.#tables.conversations, this.#session, conversation, through);
  }

  #scanEntries<T extends EntryHeader>(
    query: EntryQuery,
    read: (session: number, conversation: Id, low: Id, high: Id, order: Order, limit: number, filter: EntryQuery) => T[],
  ): Page<T> {
    const range = rangeOf(query, query.from, query.through);
    const limit = pageLimit(query);
    const chain = this.#chain(query.conversationId, range.high);
    const rows = readSegments(chain, range, limit + 1, ({ conversation }, low, high, wanted) =>
      read(this.#session, conversation, low, high, range.order, wanted, query),
    );
    return toPage(rows, limit, this.lastSeq);
  }

  #value(addr: Address, at: Id | undefined): Version<Json> | undefined {
    const { values, scratch } = this.#tables;
    checkRewind(addr, at);
    if ('scratch' in addr.scope) return scratch.value([this.#session, addr.scope.scratch, addr.namespace, storedKey(addr)]);
    const place = statePlace(this.#session, addr);
    if ('session' in addr.scope) return values.current(place);
    const chain = this.#chain(addr.scope.conversation, at ?? end);
    if (addr.rewind) return readVersion(values, this.#session, addr.namespace, storedKey(addr), chain);
    return isPresent(chain) ? values.current(place) : undefined;
  }

  #list(addr: Address, at: Id, range: { low: Id; high: Id; order: Order }, limit: number): readonly Element<Json>[] {
    const { lists, scratch } = this.#tables;
    const { low, high, order } = range;
    if ('scratch' in addr.scope) {
      return scratch.elements([this.#session, addr.scope.scratch, addr.namespace, storedKey(addr)], low, high, order, limit);
    }
    const place = statePlace(this.#session, addr);
    if ('session' in addr.scope) return lists.elements(place, false, low, high, order, limit);
    const chain = this.#chain(addr.scope.conversation, at);
    if (addr.rewind) return readRewindable(lists, this.#session, [addr.namespace, storedKey(addr)], chain, range, limit);
    return isPresent(chain) ? lists.elements(place, false, low, high, order, limit) : [];
  }
}

function checkRewind(addr: Address, at: Id | undefined): void {
  if (at !== undefined && !addr.rewind)
    throw new Rejected('notRewindable', 'only rewindable conversation state has a past to read');
}

function isPresent(chain: Iterable<Segment>): boolean {
  return chain[Symbol.iterator]().next().done !== true;
}

function byId<T extends { readonly id: Id }>(records: readonly T[]): ReadonlyMap<Id, T> {
  return new Map(records.map((record) => [record.id, record]));
}
