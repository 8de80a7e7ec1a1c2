/**
 * What a watcher sees, and the events that keep it so (engine specification 9.4). All of it is JSON: a UI in another process has the
 * view and folds the events with the same reducer (reducer.ts). Every event carries the number of the write it tells of. Events of
 * one commit travel together and in order.
 */
import type { Op } from '@earendil-works/chord/delta';
import type { InboxItem } from './inbox.ts';
import type { Address, Conversation, Element, Entry, Id, Json, Task } from './records.ts';
import type { UsageRow, UsageTotals } from './usage.ts';

export interface ConversationView {
  readonly conversation: Conversation;
  /** The newest `tail` entries, oldest first; older ones are read by pages. */
  readonly entries: readonly Entry[];
  readonly tail: number;
  /** The derived context, as ids; empty when it was not asked for. */
  readonly context: readonly Id[];
  /** Live tasks, oldest first. */
  readonly tasks: readonly Task[];
  /** Input that waits, oldest first. */
  readonly inbox: readonly Element<InboxItem>[];
  /** What registered kinds declare in `config`, and what was asked for, by `addressKey`; an absent value has no property. */
  readonly values: Readonly<Record<string, Json>>;
  /** By the id of the live task that it is of. */
  readonly previews: Readonly<Record<Id, Json>>;
  readonly deleted: boolean;
  /** The watcher fell behind, or the session's persistence is uncertain: `resnapshot`, or open the session again. */
  readonly faulted: boolean;
  readonly closed: boolean;
  readonly readAt: Id;
}
export interface SessionView {
  /** Oldest first. */
  readonly conversations: readonly Conversation[];
  /** The totals of usage and what was asked for, by `addressKey`; an absent value has no property. */
  readonly values: Readonly<Record<string, Json>>;
  readonly faulted: boolean;
  readonly closed: boolean;
  readonly readAt: Id;
}

type ValueEvent = { readonly type: 'value'; readonly addr: Address; readonly value: Json | undefined };
export type EndEvent = { readonly type: 'fault'; readonly reason: 'lagging' | 'uncertain' } | { readonly type: 'closed' };
export type TaskEvent = { readonly seq: Id } & (
  | { readonly type: 'task_start'; readonly task: Task }
  | { readonly type: 'task_update'; readonly task: Task; readonly previous: Task }
  | { readonly type: 'task_end'; readonly task: Task }
);
export type ConversationEvent =
  | TaskEvent
  | ({ readonly seq: Id } & (
      | {
          readonly type: 'entry';
          readonly entry: Entry;
          /** It was added at the end of the context. */ readonly inContext?: true;
        }
      /** A head or an edit changed the context. */
      | { readonly type: 'context'; readonly ids: readonly Id[] }
      /** Delta operations on the task's preview; the first ones replace it whole. */
      | { readonly type: 'task_output'; readonly task: Id; readonly ops: readonly Op[] }
      /** All that waits now. */
      | { readonly type: 'inbox'; readonly items: readonly Element<InboxItem>[] }
      | { readonly type: 'deleted' }
      | ValueEvent
      | EndEvent
    ));
export type SessionEvent = { readonly seq: Id } & (
  | { readonly type: 'conversation'; readonly conversation: Conversation; readonly change: 'created' | 'deleted' }
  /** `totals`: as they are after the commit that recorded the row. */
  | { readonly type: 'usage'; readonly row: UsageRow; readonly totals: UsageTotals }
  | ({ readonly type: 'report' } & ReportedError)
  | ValueEvent
  | EndEvent
);
/** An error that belongs to nobody's call: of a hook, of a task that was given up. */
export interface ReportedError {
  readonly task?: Id;
  readonly kind?: string;
  readonly error: { readonly name: string; readonly message: string };
}
