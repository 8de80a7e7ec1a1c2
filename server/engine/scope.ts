/**
 * What a drive attaches to the driver, and when that drive is over (engine specification 6.2). A conversation's scope is itself and every
 * conversation owned from it, recursively; it is idle when the conversation has no live foreground task. The session's scope is
 * everything; it is idle when nothing at all is live. Forks are not reached through ownership.
 */
import type { Id, TaskHeader } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

export type Scope = { readonly session: true } | { readonly conversation: Id };

/** The live tasks that keep a drive of the scope from being idle, newest first, at most `limit`: the newest is likely the last to settle. */
export function liveForIdle(storage: Storage, scope: Scope, limit: number): readonly TaskHeader[] {
  const newest = { live: true, before: end, limit };
  if ('session' in scope) return storage.scanTaskHeaders(newest).items;
  return storage.scanTaskHeaders({ ...newest, conversationIds: [scope.conversation], background: false }).items;
}

/**
 * Whether a conversation is in a scope that was ever attached. Asked upwards, from the conversation to its owners: children that are
 * finished are never looked at. Ownership never changes, so what was found stays true.
 */
export class AttachedScopes {
  readonly #storage: Storage;
  readonly #roots = new Set<Id>();
  #session = false;
  /** Bounded: forgotten as a whole when it grows. */
  readonly #known = new Map<Id, boolean>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  get isEmpty(): boolean {
    return !this.#session && this.#roots.size === 0;
  }

  /** False: all of it was attached before, with this scope or with one around it. */
  add(scope: Scope): boolean {
    if ('session' in scope ? this.#session : this.contains(scope.conversation)) return false;
    if ('session' in scope) this.#session = true;
    else this.#roots.add(scope.conversation);
    this.#known.clear();
    return true;
  }

  /** Live tasks of everything attached. Costs what is live in the session, never what is finished. */
  get live(): readonly TaskHeader[] {
    return this.#storage.scanTaskHeaders({ live: true, limit: end }).items.filter((task) => this.contains(task.conversationId));
  }

  contains(conversation: Id): boolean {
    if (this.#session) return true;
    const path: Id[] = [];
    let current: Id | undefined = conversation;
    let contained: boolean | undefined;
    while (contained === undefined) {
      contained = current === undefined ? false : this.#roots.has(current) ? true : this.#known.get(current);
      if (contained !== undefined || current === undefined) break;
      path.push(current);
      current = this.#above(current);
    }
    if (this.#known.size + path.length > mostKnown) this.#known.clear();
    for (const passed of path) this.#known.set(passed, contained === true);
    return contained === true;
  }

  #above(conversation: Id): Id | undefined {
    const owner = this.#storage.getConversations([conversation]).get(conversation)?.owner;
    return owner === undefined ? undefined : this.#storage.getTaskHeaders([owner]).get(owner)?.conversationId;
  }
}

const mostKnown = 10_000;
