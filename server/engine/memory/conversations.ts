/**
 * The conversations of a session and the links between them. A deleted one stays: forks still read through it, but it is no longer
 * found by its id, in a scan or as a place to write.
 */
import type { Range } from '../paging.ts';
import type { Conversation, Id } from '../records.ts';
import type { ConversationReads } from '../rows.ts';
import type { Link } from '../segments.ts';
import { cut, insert, listOf } from './ordered.ts';

interface Stored extends Conversation {
  deleted: Id | null;
}

export class Conversations implements ConversationReads {
  readonly #byId = new Map<Id, Stored>();
  readonly #all: Stored[] = [];
  readonly #byParent = new Map<Id, Stored[]>();
  readonly #byOwner = new Map<Id, Stored[]>();
  /** By the conversation that the owner task belongs to. */
  readonly #ownedFrom = new Map<Id, Stored[]>();

  /** `ownerHome`: the conversation of its owner, when that task is there. */
  add(conversation: Conversation, ownerHome: Id | undefined): void {
    const { id, parent, owner } = conversation;
    const stored: Stored = { ...conversation, deleted: null };
    this.#byId.set(id, stored);
    insert(this.#all, stored);
    if (parent !== undefined) insert(listOf(this.#byParent, parent.conversationId), stored);
    if (owner !== undefined) insert(listOf(this.#byOwner, owner), stored);
    if (ownerHome !== undefined) insert(listOf(this.#ownedFrom, ownerHome), stored);
  }

  /** A task has come: conversations may have named it as their owner before. */
  addOwner(task: Id, home: Id): void {
    for (const stored of this.#byOwner.get(task) ?? []) insert(listOf(this.#ownedFrom, home), stored);
  }

  markDeleted(id: Id, seq: Id): void {
    const stored = this.#byId.get(id);
    if (stored !== undefined) stored.deleted = seq;
  }

  /** Of a task, deleted ones too: it did create them. */
  ownedBy(task: Id): readonly Id[] {
    return this.#byOwner.get(task)?.map(({ id }) => id) ?? [];
  }

  isPresent(id: Id): boolean {
    return this.#byId.get(id)?.deleted === null;
  }

  link(id: Id): Link | undefined {
    const stored = this.#byId.get(id);
    if (stored === undefined) return undefined;
    const { parent, owner = null, deleted } = stored;
    return { parent: parent?.conversationId ?? null, at: parent?.at ?? null, owner, deleted };
  }

  byIds(ids: readonly Id[]): Conversation[] {
    return ids.flatMap((id) => {
      const stored = this.#byId.get(id);
      return stored?.deleted === null ? [toConversation(stored)] : [];
    });
  }

  range(range: Range, limit: number): Conversation[] {
    return present(this.#all, range, limit);
  }

  byParent(parent: Id, range: Range, limit: number): Conversation[] {
    return present(this.#byParent.get(parent), range, limit);
  }

  ownedFrom(conversation: Id, parent: Id | undefined, range: Range, limit: number): Conversation[] {
    return present(
      this.#ownedFrom.get(conversation),
      range,
      limit,
      (stored) => parent === undefined || stored.parent?.conversationId === parent,
    );
  }
}

function present(
  items: readonly Stored[] = [],
  range: Range,
  limit: number,
  accepts: (stored: Stored) => boolean = () => true,
): Conversation[] {
  return cut(items, range, limit, (stored) => stored.deleted === null && accepts(stored)).map(toConversation);
}

function toConversation({ id, parent, owner }: Stored): Conversation {
  return {
    id,
    ...(parent === undefined ? {} : { parent: { ...parent } }),
    ...(owner === undefined ? {} : { owner }),
  };
}
