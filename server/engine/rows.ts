/**
 * What a backend must be able to look up of one session: plain indexed reads, of which none knows of forks. `RowReads` makes the
 * storage port's reads of them. Ranges are inclusive; results are in the range's order, at most `limit` of them, and belong to the reader.
 */
import type { Range } from './paging.ts';
import type { Place } from './place.ts';
import type { Conversation, Element, Entry, EntryHeader, Id, Json, Task, TaskHeader, TaskRole, Version } from './records.ts';
import type { Link } from './segments.ts';

export interface EntryFilter {
  readonly kind?: string;
  readonly key?: string;
}
export interface TaskFilter {
  /** Of these conversations, each named once; absent: of the session. */
  readonly conversations?: readonly Id[];
  /** Live ones only: every backend has an index of them. */
  readonly live: boolean;
  readonly role?: TaskRole;
  readonly kind?: string;
  readonly abort?: boolean;
  readonly background?: boolean;
}

export interface ConversationReads {
  link(id: Id): Link | undefined;
  byIds(ids: readonly Id[]): Conversation[];
  range(range: Range, limit: number): Conversation[];
  byParent(parent: Id, range: Range, limit: number): Conversation[];
  /** Those whose owner is a task of that conversation; of one parent when it is given. */
  ownedFrom(conversation: Id, parent: Id | undefined, range: Range, limit: number): Conversation[];
}
/** Ranges are of a conversation's own entries. */
export interface EntryReads {
  byIds(ids: readonly Id[]): Entry[];
  headersById(ids: readonly Id[]): EntryHeader[];
  range(conversation: Id, range: Range, limit: number, filter: EntryFilter): Entry[];
  headerRange(conversation: Id, range: Range, limit: number, filter: EntryFilter): EntryHeader[];
  newestHead(conversation: Id, through: Id): EntryHeader | undefined;
  count(conversation: Id, low: Id, high: Id): number;
}
export interface TaskReads {
  byIds(ids: readonly Id[]): Task[];
  headersById(ids: readonly Id[]): TaskHeader[];
  range(filter: TaskFilter, range: Range, limit: number): Task[];
  headerRange(filter: TaskFilter, range: Range, limit: number): TaskHeader[];
}
/** `current` and `nextKey`: session and sticky values; `version` and `nextVersionKey`: rewindable ones. */
export interface ValueReads {
  readonly current: (place: Place) => Version<Json> | undefined;
  /** The smallest stored key behind the place's, in the order of code points. */
  readonly nextKey: (place: Place) => string | undefined;
  /** The newest version at or before `at`: 'deleted' where that is a deletion, undefined where there is none. */
  readonly version: (place: Place, at: Id) => Version<Json> | 'deleted' | undefined;
  /** Of keys that ever had a version. */
  readonly nextVersionKey: (place: Place) => string | undefined;
}
export interface ListReads {
  /** Of a rewindable list: every element that was ever appended. */
  elements(place: Place, rewind: boolean, range: Range, limit: number): Element<Json>[];
  /** Position of the newest clear at or before `at`; 0 when there is none. */
  newestClear(place: Place, at: Id): Id;
  /** Which of those elements, which stand in order, were removed at or before `at`; others between them may be told too. */
  removed(place: Place, elements: readonly Id[], at: Id): Id[];
}
export interface ScratchReads {
  readonly value: (place: Place) => Version<Json> | undefined;
  readonly nextKey: (place: Place) => string | undefined;
  readonly elements: (place: Place, range: Range, limit: number) => Element<Json>[];
}

export interface Rows {
  readonly lastSeq: Id;
  readonly kinds: Iterable<string>;
  readonly version: string;
  readonly conversations: ConversationReads;
  readonly entries: EntryReads;
  readonly tasks: TaskReads;
  readonly values: ValueReads;
  readonly lists: ListReads;
  readonly scratch: ScratchReads;
}
