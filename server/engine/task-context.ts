/**
 * What an execution gets from the driver (engine specification 5.2). Services of the host (models, tools, files) are not here: a host
 * gives them to its kinds when it makes them.
 */
import type { Tracker } from '@earendil-works/chord/delta';
import type { ScratchList, ScratchValue } from './address.ts';
import type { ConfigSpec, ConfigValues } from './config-spec.ts';
import type { ConversationHandle } from './conversation.ts';
import type { ConversationTx } from './conversation-tx.ts';
import type { CommitOptions, Engine, Synchronous } from './engine.ts';
import type { HookPoints, HookRunner } from './hook-points.ts';
import type { TaskKind } from './kinds.ts';
import type { Element, Id } from './records.ts';
import type { ScratchTx } from './scratch-tx.ts';
import type { ListQuery, Page } from './storage.ts';

export interface TaskContext<Preview extends object = object> {
  readonly taskId: Id;
  readonly conversationId: Id;
  /** Fresh for each call; aborts when the task is marked or the engine closes. */
  readonly signal: AbortSignal;
  /** Of the task's conversation; entries carry the task's id. A marked task's commit that makes a task or a conversation is rejected. */
  commit<T>(plan: ((tx: ConversationTx) => T) & Synchronous<T>, options?: CommitOptions<T>): Promise<T>;
  /** To the task's own scratch, and nothing else (4.6). Publishes what changed in `preview`. */
  scratch<T>(plan: ((scratch: ScratchTx) => T) & Synchronous<T>): Promise<T>;
  /** What UIs see of the task while it runs: mutate `.state` in place. Throws for a kind that declares no preview. */
  readonly preview: Tracker<Preview>;
  /** Milliseconds since 1970, by the host's clock. */
  now(): number;
  /** Rejects with an AbortError when the task is cancelled. */
  sleep(until: number): Promise<void>;
  /** The declared values of a kind as they are now in the task's conversation. */
  config<Config extends ConfigSpec>(kind: { readonly kind: string; readonly config?: Config }): ConfigValues<Config>;
  /** The task's own conversation, or one that it created and drives. */
  conversation(id?: Id): ConversationHandle | undefined;
  hooks<Hooks extends HookPoints>(kind: Pick<TaskKind<never, Hooks, never, never>, 'kind' | 'hooks'>): HookRunner<Hooks>;
  readonly engine: Engine;
}

/** A task's scratch as it is committed. */
export interface ScratchReader {
  value<T>(addr: ScratchValue<T>): T | undefined;
  list<T>(addr: ScratchList<T>, query?: Partial<ListQuery>): Page<Element<T>>;
}
