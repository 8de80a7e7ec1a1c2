/**
 * The context: what a model is given, derived from the transcript and never stored (engine specification 2.2). A warm one costs what
 * is new; a cold one what the newest head retains, and not the history before it.
 */
import { ContextFold } from './context-fold.ts';
import { frozen } from './frozen.ts';
import type { ContextEdit, Kinds } from './kinds.ts';
import type { Entry, Id } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

export interface ContextEntry<Message = unknown> {
  readonly entry: Entry;
  /** Its projection, or what an edit put in the place of it. */
  readonly messages: readonly Message[];
}
/** Tool exchanges and the like are the host's business: from projected entries to what its models take. */
export type Normalize<Message, Out> = (entries: readonly ContextEntry<Message>[]) => readonly Out[];

const pageSize = 512;

interface Kept<Message> {
  readonly entry: Entry;
  /** As it was last asked for, and the edit that was then in force. */
  shown?: ContextEntry<Message>;
  edit?: ContextEdit<Message> | undefined;
}
interface Shown<Message> {
  readonly entries: ContextEntry<Message>[];
  readonly messages: Message[];
}

/**
 * A conversation's context as of a position that only moves forward. Keeps the entries that are in it, no others. What it
 * gives out is frozen, so that snapshots share it and one costs no more than a copy of a list and what is new.
 */
export class ConversationContext<Message = unknown> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #conversation: Id;
  #fold: ContextFold<Message>;
  #entries: Map<Id, Kept<Message>> | undefined;
  /** The transcript is taken in up to here, inclusive. */
  #position = 0;
  #newest = 0;
  #begun = false;
  /** What is shown, while entries are only appended to it; anything else makes it anew. */
  #shown: Shown<Message> | undefined;

  /** `keepEntries` false: only ids are wanted. */
  constructor(storage: Storage, kinds: Kinds<Message>, conversation: Id, keepEntries: boolean) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#conversation = conversation;
    this.#fold = new ContextFold(kinds);
    this.#entries = keepEntries ? new Map() : undefined;
  }

  /** The newest entry that was taken in: the context is that of every position from there on that it was advanced to. */
  get through(): Id {
    return this.#newest;
  }

  /** Takes in the transcript up to that entry, inclusive; a position behind it changes nothing. */
  advance(through: Id = end): void {
    const target = Math.min(through, this.#storage.lastSeq);
    if (target <= this.#position) return;
    let after = this.#begun ? this.#position : this.#start(target) - 1;
    this.#begun = true;
    for (;;) {
      const page = this.#storage.readEntries({ conversationId: this.#conversation, through: target, after, limit: pageSize });
      for (const entry of page.items) this.add(entry);
      if (page.items.length === 0) this.#forgetIfDeleted();
      if (page.next === undefined) break;
      after = page.next;
    }
    this.#position = target;
  }

  /** Takes an entry that was just committed, when everything before it has been taken. */
  add(entry: Entry): 'same' | 'appended' | 'changed' {
    const change = this.#fold.add(entry);
    if (this.#kinds.entry(entry.kind).project !== undefined) this.#entries?.set(entry.id, { entry });
    if (change === 'changed') this.#shown = undefined;
    if (change === 'appended' && this.#shown !== undefined) this.#append(this.#shown, entry.id);
    if (entry.head === true && this.#entries !== undefined) {
      const kept = new Map<Id, Kept<Message>>();
      for (const id of this.#fold.retained) {
        const known = this.#entries.get(id);
        if (known !== undefined) kept.set(id, known);
      }
      this.#entries = kept;
    }
    this.#newest = entry.id;
    this.#position = Math.max(this.#position, entry.id);
    return change;
  }

  get ids(): readonly Id[] {
    return this.#fold.ids;
  }

  /** A snapshot, frozen: what comes later changes nothing in it, nor does who holds it change another. */
  get entries(): readonly ContextEntry<Message>[] {
    return Object.freeze(this.#show().entries.slice());
  }

  /** The messages of `entries` in their order, likewise a snapshot. */
  get messages(): readonly Message[] {
    return Object.freeze(this.#show().messages.slice());
  }

  #show(): Shown<Message> {
    if (this.#shown === undefined) {
      this.#shown = { entries: [], messages: [] };
      for (const id of this.#fold.ids) this.#append(this.#shown, id);
    }
    return this.#shown;
  }

  #append({ entries, messages }: Shown<Message>, id: Id): void {
    const kept = this.#entries?.get(id);
    if (kept === undefined) return;
    const shown = this.#showOne(kept);
    entries.push(shown);
    messages.push(...shown.messages);
  }

  #showOne(kept: Kept<Message>): ContextEntry<Message> {
    const edit = this.#fold.editOf(kept.entry.id);
    if (kept.shown === undefined || kept.edit !== edit) {
      kept.shown = frozen({ entry: kept.entry, messages: this.#fold.messages(kept.entry) });
      kept.edit = edit;
    }
    return kept.shown;
  }

  /** First entry that can matter: the newest head tells, so that nothing before it is read. */
  #start(through: Id): Id {
    const header = this.#storage.newestHead(this.#conversation, through);
    const head = header === undefined ? undefined : this.#storage.getEntries([header.id]).get(header.id);
    return head === undefined ? 1 : this.#kinds.retainedFrom(head);
  }

  /** A conversation that is gone has no transcript, whatever was taken in of it before. */
  #forgetIfDeleted(): void {
    if (this.#newest === 0 || this.#storage.getConversations([this.#conversation]).has(this.#conversation)) return;
    this.#fold = new ContextFold(this.#kinds);
    this.#entries?.clear();
    this.#shown = undefined;
    this.#newest = 0;
  }
}

/** The context as of an entry, cold. */
export function contextAt<Message>(
  storage: Storage,
  kinds: Kinds<Message>,
  conversation: Id,
  through?: Id,
): readonly ContextEntry<Message>[] {
  const context = new ConversationContext(storage, kinds, conversation, true);
  context.advance(through);
  return context.entries;
}
