/**
 * The storage port of a session (engine specification 7): point reads, batched reads, bounded indexed scans and one
 * atomic commit. Reads are synchronous: every backend holds its data in this process (memory, replayed file, SQLite), and
 * a commit's closure may then read without giving up the line. Only `commit` is a promise. Storage never runs kind code.
 */
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
  Scope,
  Task,
  TaskHeader,
  TaskRole,
  Value,
  Version,
} from './records.ts';

/** Behind every id: `before: end` reads a page from the newest item down. */
export const end: Id = Number.MAX_SAFE_INTEGER;

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: Id;
  readonly readAt: Id;
}
/** `after` ascends from it (exclusive); `before` descends from it (exclusive), items then newest first. Not both. */
export interface Cursor {
  readonly after?: Id;
  readonly before?: Id;
  readonly limit: number;
}
export interface ConversationQuery extends Cursor {
  readonly parent?: Id;
  /** Conversations whose owner task belongs to this conversation. */
  readonly ownedFrom?: Id;
}
/** `from` and `through` are inclusive positions in the logical, fork-aware transcript. */
export interface EntryQuery extends Cursor {
  readonly conversationId: Id;
  readonly kind?: string;
  readonly key?: string;
  readonly from?: Id;
  readonly through?: Id;
}
export interface TaskQuery extends Cursor {
  /** Absent: of the whole session. */
  readonly conversationIds?: readonly Id[];
  readonly live?: boolean;
  readonly role?: TaskRole;
  readonly kind?: string;
  readonly abort?: boolean;
  readonly background?: boolean;
}
export interface ListQuery extends Cursor {
  readonly at?: Id;
}
/** Keys in the order of their code points; the value without a key is not among them. Go on with the last key as `after`. */
export interface ValueQuery {
  readonly scope: Scope;
  readonly namespace: string;
  /** Rewindable values of a conversation, inherited ones too; absent: the others. */
  readonly rewind?: boolean;
  readonly after?: string;
  readonly limit: number;
}

/**
 * Entries of one batch that a backend may keep together, compressed: a hint for bulk work, which changes no read and no event. At most 128 of
 * one conversation, ascending, none of them a head, and each in one pack only.
 */
export interface EntryPack {
  readonly ids: readonly Id[];
  /** Their contents as JSON, one a line, in UTF-8, without a newline behind the last; what `compress` of pack-codec.ts made of it. */
  readonly contents: Uint8Array;
  readonly codec: number;
  /** Bytes of the contents before they were compressed. */
  readonly size: number;
}

export interface Storage {
  /** Last committed sequence number; 0 for an empty session. */
  readonly lastSeq: Id;
  /** The session's storage version (6.5): what its stored records mean. */
  readonly version: string;
  /** Kinds of entries ever written. */
  readonly kinds: ReadonlySet<string>;
  /**
   * Persists the batch atomically, write i as sequence lastSeq + 1 + i; a conversation, entry, task or list element carries
   * that number as its id. `within` runs when the batch is prepared and before it is durable; when it throws, nothing of the batch
   * is kept. In SQLite it runs inside the same transaction: what it writes to the same database lives and dies with the batch. It must
   * not read the batch back through this port: the other backends publish behind it. `packs`: entries of this batch that SQLite stores as
   * they come, compressed, without looking into them: they must be what the batch says. The other backends have no use for it.
   * Rejects without a trace when the batch, or a pack, is not valid; an empty batch without `within` writes nothing. Rejects with
   * `UncertainPersistence` when it cannot know whether the batch is durable.
   */
  commit(
    batch: CommitBatch,
    within?: () => void,
    packs?: readonly EntryPack[],
  ): Promise<{ readonly first: Id; readonly last: Id }>;
  getConversations(ids: readonly Id[]): ReadonlyMap<Id, Conversation>;
  scanConversations(query: ConversationQuery): Page<Conversation>;
  getEntries(ids: readonly Id[]): ReadonlyMap<Id, Entry>;
  getEntryHeaders(ids: readonly Id[]): ReadonlyMap<Id, EntryHeader>;
  /** Fork-aware. */
  scanEntries(query: EntryQuery): Page<EntryHeader>;
  /** As scanEntries, with content: a transcript page in one query a level. */
  readEntries(query: EntryQuery): Page<Entry>;
  /** Newest visible `head: true` entry at or before `at`; fork-aware, capped at every ancestor's cutoff. */
  newestHead(conversationId: Id, at: Id): EntryHeader | undefined;
  /** How many entries the logical transcript has in [from, through]. */
  countEntries(conversationId: Id, from?: Id, through?: Id): number;
  getTasks(ids: readonly Id[]): ReadonlyMap<Id, Task>;
  scanTasks(query: TaskQuery): Page<Task>;
  /** As getTasks and scanTasks, but no state is decoded. */
  getTaskHeaders(ids: readonly Id[]): ReadonlyMap<Id, TaskHeader>;
  scanTaskHeaders(query: TaskQuery): Page<TaskHeader>;
  /** `at` = an entry id: the version that was in force at that entry. Only for rewindable conversation addresses. */
  getValue<T>(addr: Value<T>, at?: Id): Version<T> | undefined;
  scanValues(query: ValueQuery): Page<{ readonly key: string; readonly version: Version<Json> }>;
  readList<T>(addr: List<T>, query: ListQuery): Page<Element<T>>;
  close(): Promise<void>;
}

/** One canonical string for an address (engine specification 9.4): equal exactly for equal scope, namespace, key and policy. */
export function addressKey(addr: Address): string {
  const scope =
    'session' in addr.scope ? 's' : 'conversation' in addr.scope ? `c${addr.scope.conversation}` : `x${addr.scope.scratch}`;
  return JSON.stringify([scope, addr.rewind ? 1 : 0, addr.namespace, addr.key ?? null]);
}

/** What is committed, to be read only. */
export type StorageReads = Omit<Storage, 'commit' | 'close'>;
