/**
 * The records of a session: conversations, entries, tasks, and the addresses of state (engine specification 2, 4, 5.1).
 * All of them are plain immutable values; ids are numbers of the session's one sequence.
 */

/** A session sequence number: positive safe integer. */
export type Id = number;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

export interface Conversation {
  readonly id: Id;
  /** Forked from that conversation's transcript through entry `at`, inclusive; `at: 0` is before the first entry. */
  readonly parent?: { readonly conversationId: Id; readonly at: Id };
  /** The task that created it. Its state is then its own, whatever transcript it inherits (4.3). */
  readonly owner?: Id;
}

export interface Entry<Content = Json> {
  readonly id: Id;
  readonly conversationId: Id;
  readonly kind: string;
  readonly content: Content;
  /** Optional indexed key within the conversation, such as the tool call that a result answers. */
  readonly key?: string;
  /** The kind is a context head. */
  readonly head?: true;
  readonly byTaskId?: Id;
}
export type EntryHeader = Omit<Entry, 'content'>;

export type TaskRole = 'start' | 'inflight' | 'terminal';
export interface Task<State = Json> {
  readonly id: Id;
  readonly conversationId: Id;
  readonly kind: string;
  readonly status: string;
  readonly state: State;
  readonly after: readonly Id[];
  readonly background?: true;
  readonly owns?: readonly Id[];
  readonly abort?: true;
}
/** What the driver looks at: a task without its state, and the role that its status has. */
export type TaskHeader = Omit<Task, 'state'> & { readonly role: TaskRole };

export type Scope = { readonly session: true } | { readonly conversation: Id } | { readonly scratch: Id };
/** Binds namespace, key, scope and rewind policy. Session and scratch addresses are never rewindable. */
export interface Address {
  readonly scope: Scope;
  readonly namespace: string;
  readonly key?: string;
  readonly rewind: boolean;
}
export interface Value<T> extends Address {
  readonly __value?: T;
}
export interface List<T> extends Address {
  readonly __list?: T;
}
export interface Version<T> {
  readonly seq: Id;
  readonly value: T;
}
export interface Element<T> {
  readonly id: Id;
  readonly value: T;
}

export type StateWrite =
  | { readonly type: 'value.set'; readonly addr: Address; readonly value: Json }
  | { readonly type: 'value.delete'; readonly addr: Address }
  | { readonly type: 'list.append'; readonly addr: Address; readonly value: Json }
  | { readonly type: 'list.remove'; readonly addr: Address; readonly element: Id }
  | { readonly type: 'list.clear'; readonly addr: Address };
export type MainWrite =
  | StateWrite
  | { readonly type: 'createConversation'; readonly conversation: Conversation }
  | { readonly type: 'deleteConversation'; readonly id: Id }
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'task'; readonly task: Task; readonly role: TaskRole }
  | {
      readonly type: 'patch';
      readonly id: Id;
      readonly status?: string;
      readonly role?: TaskRole;
      readonly state?: Json;
      readonly abort?: true;
    }
  | { readonly type: 'settle'; readonly id: Id; readonly status: string; readonly state: Json };
export type CommitBatch =
  | { readonly kind: 'main'; readonly writes: readonly MainWrite[] }
  | { readonly kind: 'scratch'; readonly task: Id; readonly writes: readonly StateWrite[] };
