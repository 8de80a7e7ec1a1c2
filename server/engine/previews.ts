/**
 * Previews of live tasks (engine specification 5.2, 9.4): one Chord delta tracker a task whose kind declares a preview, built once from
 * durable scratch when somebody attaches or the execution asks for it, and gone when the task settles. The execution mutates it in
 * place; the first flush after a time in which nobody watched is its whole value, each other one what was mutated. What nobody watches
 * records nothing. A preview is JSON, like all that is told.
 */
import { track } from '@earendil-works/chord/delta';
import type { Op, Tracker } from '@earendil-works/chord/delta';
import { bound } from './address.ts';
import { stored } from './kinds.ts';
import type { Kinds } from './kinds.ts';
import type { Id, Json, TaskHeader } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import type { ScratchReader } from './task-context.ts';

/** The task that a preview is of. */
export type Previewed = Pick<TaskHeader, 'id' | 'kind' | 'conversationId'>;

/**
 * An appended text is cut off the whole one, and as long as somebody keeps the piece, V8 keeps the whole: a message of 1 MB in 2,000 pieces
 * would hold 1 GB. A copy of the piece holds the piece.
 */
function apart(op: Op): Op {
  return op[0] === 'a' ? ['a', op[1], JSON.parse(JSON.stringify(op[2])) as string] : op;
}

interface Preview {
  readonly tracker: Tracker<object>;
  readonly conversation: Id;
}

export class Previews {
  readonly #storage: Storage;
  readonly #kinds: Kinds;
  readonly #previews = new Map<Id, Preview>();

  constructor(storage: Storage, kinds: Kinds) {
    this.#storage = storage;
    this.#kinds = kinds;
  }

  /** How many are kept. */
  get size(): number {
    return this.#previews.size;
  }

  /** Undefined: the kind has no preview. Throws what the kind's `init` throws. */
  tracker({ id, kind, conversationId }: Previewed): Tracker<object> | undefined {
    const known = this.#previews.get(id);
    if (known !== undefined) return known.tracker;
    const spec = this.#kinds.behaviour(kind)?.preview;
    if (spec === undefined) return undefined;
    // What a storage gives is a copy already.
    const tracker = track(spec.init(this.scratch(id)));
    // An execution that goes on after it settled: what it mutates is seen by nobody, and not kept.
    const role = this.#storage.getTaskHeaders([id]).get(id)?.role;
    if (role === 'start' || role === 'inflight') this.#previews.set(id, { tracker, conversation: conversationId });
    return tracker;
  }

  /** The conversation of a task whose preview is kept. */
  conversationOf(task: Id): Id | undefined {
    return this.#previews.get(task)?.conversation;
  }

  /** What was mutated since the last flush; empty: nothing. */
  flush(task: Id): readonly Op[] {
    return this.#previews.get(task)?.tracker.flush().map(apart) ?? [];
  }

  /** The whole value, copied; what a flush then gives are operations on it. To be called when everybody was told what is pending. */
  copy(task: Id): Json | undefined {
    this.rest(task);
    const [base] = this.flush(task);
    return base?.[0] === 'r' ? stored(base[1]) : undefined;
  }

  /** Nobody watches: records nothing until the next flush, which is the whole value then. */
  rest(task: Id): void {
    this.#previews.get(task)?.tracker.rebase();
  }

  /** Nobody watches the conversation any more. */
  restAll(conversation: Id): void {
    for (const preview of this.#previews.values()) if (preview.conversation === conversation) preview.tracker.rebase();
  }

  drop(task: Id): void {
    this.#previews.delete(task);
  }

  scratch(task: Id): ScratchReader {
    return {
      value: (addr) => this.#storage.getValue(bound(addr, task))?.value,
      list: (addr, query = {}) => this.#storage.readList(bound(addr, task), { limit: end, ...query }),
    };
  }
}
