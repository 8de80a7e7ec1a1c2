/**
 * The reads of the storage port over a backend's rows (engine specification 7.2): cursors, pages, fork-aware walks and the past of
 * rewindable state. One implementation for all backends, which therefore cannot differ in any of it. Holds no rows.
 */
import { Rejected } from './errors.ts';
import { readRewindable } from './list-history.ts';
import { pageLimit, rangeOf, toPage } from './paging.ts';
import type { Range } from './paging.ts';
import { placeOf, statePlace } from './place.ts';
import type { Place } from './place.ts';
import type {
  Address,
  Conversation,
  Element,
  Entry,
  EntryHeader,
  Id,
  Json,
  List,
  Task,
  TaskHeader,
  Value,
  Version,
} from './records.ts';
import type { EntryFilter, Rows, TaskFilter } from './rows.ts';
import { readSegments, segments } from './segments.ts';
import type { Segment } from './segments.ts';
import { end } from './storage.ts';
import type { ConversationQuery, EntryQuery, ListQuery, Page, TaskQuery, ValueQuery } from './storage.ts';
import { nextVersionKey, readVersion, scanKeys } from './value-history.ts';

export class RowReads {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get lastSeq(): Id {
    return this.#rows.lastSeq;
  }

  get version(): string {
    return this.#rows.version;
  }

  get kinds(): ReadonlySet<string> {
    return new Set(this.#rows.kinds);
  }

  getConversations(ids: readonly Id[]): ReadonlyMap<Id, Conversation> {
    return byId(this.#rows.conversations.byIds(ids));
  }

  scanConversations(query: ConversationQuery): Page<Conversation> {
    const { conversations } = this.#rows;
    const { parent, ownedFrom } = query;
    return this.#page(query, rangeOf(query), (range, limit) => {
      if (ownedFrom !== undefined) return conversations.ownedFrom(ownedFrom, parent, range, limit);
      return parent === undefined ? conversations.range(range, limit) : conversations.byParent(parent, range, limit);
    });
  }

  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry> {
    return byId(this.#rows.entries.byIds(ids));
  }

  getEntryHeaders(ids: readonly Id[]): ReadonlyMap<Id, EntryHeader> {
    return byId(this.#rows.entries.headersById(ids));
  }

  scanEntries(query: EntryQuery): Page<EntryHeader> {
    return this.#transcript(query, (conversation, range, limit, filter) =>
      this.#rows.entries.headerRange(conversation, range, limit, filter),
    );
  }

  readEntries(query: EntryQuery): Page<Entry> {
    return this.#transcript(query, (conversation, range, limit, filter) =>
      this.#rows.entries.range(conversation, range, limit, filter),
    );
  }

  newestHead(conversationId: Id, at: Id): EntryHeader | undefined {
    for (const segment of this.#chain(conversationId, at)) {
      const head = this.#rows.entries.newestHead(segment.conversation, segment.through);
      if (head !== undefined) return head;
    }
    return undefined;
  }

  countEntries(conversationId: Id, from: Id = 1, through: Id = end): number {
    let count = 0;
    for (const segment of this.#chain(conversationId, through)) {
      if (segment.through < from) break;
      count += this.#rows.entries.count(segment.conversation, from, segment.through);
    }
    return count;
  }

  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task> {
    return byId(this.#rows.tasks.byIds(ids));
  }

  getTaskHeaders(ids: readonly Id[]): ReadonlyMap<Id, TaskHeader> {
    return byId(this.#rows.tasks.headersById(ids));
  }

  scanTasks(query: TaskQuery): Page<Task> {
    const filter = taskFilter(query);
    return this.#page(query, rangeOf(query), (range, limit) =>
      filter === undefined ? [] : this.#rows.tasks.range(filter, range, limit),
    );
  }

  scanTaskHeaders(query: TaskQuery): Page<TaskHeader> {
    const filter = taskFilter(query);
    return this.#page(query, rangeOf(query), (range, limit) =>
      filter === undefined ? [] : this.#rows.tasks.headerRange(filter, range, limit),
    );
  }

  getValue<T>(addr: Value<T>, at?: Id): Version<T> | undefined {
    return this.#value(addr, at) as Version<T> | undefined;
  }

  scanValues(query: ValueQuery): Page<{ readonly key: string; readonly version: Version<Json> }> {
    return { items: this.#scanValues(query, pageLimit(query)), readAt: this.lastSeq };
  }

  readList<T>(addr: List<T>, query: ListQuery): Page<Element<T>> {
    checkRewind(addr, query.at);
    const page = this.#page(query, rangeOf(query), (range, limit) => this.#list(addr, query.at ?? end, range, limit));
    return page as Page<Element<T>>;
  }

  #page<T extends { readonly id: Id }>(
    query: { readonly limit: number },
    range: Range,
    read: (range: Range, limit: number) => readonly T[],
  ): Page<T> {
    const limit = pageLimit(query);
    return toPage(read(range, limit + 1), limit, this.lastSeq);
  }

  #chain(conversation: Id, through: Id, of: 'transcript' | 'state' = 'transcript'): Iterable<Segment> {
    return segments((id) => this.#rows.conversations.link(id), conversation, through, of);
  }

  #transcript<T extends EntryHeader>(
    query: EntryQuery,
    read: (conversation: Id, range: Range, limit: number, filter: EntryFilter) => readonly T[],
  ): Page<T> {
    const filter = entryFilter(query);
    return this.#page(query, rangeOf(query, query.from, query.through), (range, limit) =>
      readSegments(this.#chain(query.conversationId, range.high), range, limit, (segment, part, wanted) =>
        read(segment.conversation, part, wanted, filter),
      ),
    );
  }

  #value(addr: Address, at: Id | undefined): Version<Json> | undefined {
    const { values, scratch } = this.#rows;
    checkRewind(addr, at);
    if ('scratch' in addr.scope) return scratch.value(placeOf(addr.scope.scratch, addr.namespace, addr.key));
    const place = statePlace(addr);
    if ('session' in addr.scope) return values.current(place);
    const chain = this.#chain(addr.scope.conversation, at ?? end, 'state');
    if (addr.rewind) return readVersion(values, place, chain);
    return isPresent(chain) ? values.current(place) : undefined;
  }

  #list(addr: Address, at: Id, range: Range, limit: number): readonly Element<Json>[] {
    const { lists, scratch } = this.#rows;
    if ('scratch' in addr.scope) return scratch.elements(placeOf(addr.scope.scratch, addr.namespace, addr.key), range, limit);
    const place = statePlace(addr);
    if ('session' in addr.scope) return lists.elements(place, false, range, limit);
    const chain = this.#chain(addr.scope.conversation, at, 'state');
    if (addr.rewind) return readRewindable(lists, place, chain, range, limit);
    return isPresent(chain) ? lists.elements(place, false, range, limit) : [];
  }

  #scanValues({ scope, namespace, rewind = false, after }: ValueQuery, limit: number) {
    const { values, scratch } = this.#rows;
    const place = (id: Id, key: string): Place => ({ ...placeOf(id, namespace, undefined), key });
    const scan = (next: (key: string) => string | undefined, read: (key: string) => Version<Json> | undefined) =>
      scanKeys(after, limit, next, read);
    const scanOf = (id: Id, next: (place: Place) => string | undefined, read: (place: Place) => Version<Json> | undefined) =>
      scan(
        (key) => next(place(id, key)),
        (key) => read(place(id, key)),
      );
    if ('scratch' in scope) return scanOf(scope.scratch, scratch.nextKey, scratch.value);
    if ('session' in scope) return scanOf(0, values.nextKey, values.current);
    const chain = [...this.#chain(scope.conversation, end, 'state')];
    if (chain.length === 0) return [];
    if (!rewind) return scanOf(scope.conversation, values.nextKey, values.current);
    return scan(
      (key) => nextVersionKey(values, place(0, key), chain),
      (key) => readVersion(values, place(0, key), chain),
    );
  }
}

function entryFilter({ kind, key }: EntryQuery): EntryFilter {
  return {
    ...(kind === undefined ? {} : { kind: kind.toWellFormed() }),
    ...(key === undefined ? {} : { key: key.toWellFormed() }),
  };
}

/** Undefined when no task can be both what is asked. */
function taskFilter({ conversationIds, live, role, kind, abort, background }: TaskQuery): TaskFilter | undefined {
  const isOfLive = role !== undefined && role !== 'terminal';
  if ((live === false && isOfLive) || (live === true && role === 'terminal')) return undefined;
  const wanted = live === false ? 'terminal' : role;
  return {
    live: live === true || isOfLive,
    ...(conversationIds === undefined ? {} : { conversations: [...new Set(conversationIds)] }),
    ...(wanted === undefined ? {} : { role: wanted }),
    ...(kind === undefined ? {} : { kind: kind.toWellFormed() }),
    ...(abort === undefined ? {} : { abort }),
    ...(background === undefined ? {} : { background }),
  };
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
