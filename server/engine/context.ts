/**
 * The context: what a model is given, derived from the transcript and never stored (engine specification 2.2). The newest head
 * gives where it begins; edits fold in transcript order; older heads are controls and no longer there; what has no projection
 * contributes nothing. `ContextFold` keeps ids and edits only, so that a warm context costs what is new.
 */
import type { ContextEdit, EntryKind, Kinds } from './kinds.ts';
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

export class ContextFold<Message = unknown> {
  readonly #kinds: Kinds<Message>;
  readonly #edits = new Map<Id, ContextEdit<Message>>();
  #head: { readonly id: Id; readonly from: Id; readonly projects: boolean } | undefined;
  /** Entries that project, other than heads, ascending. */
  #candidates: Id[] = [];

  constructor(kinds: Kinds<Message>) {
    this.#kinds = kinds;
  }

  /** Takes the next entry of the transcript. `appended`: it stands at the end; `changed`: what stood before is not the same. */
  add(entry: Entry): 'same' | 'appended' | 'changed' {
    const kind = this.#kinds.entry(entry.kind);
    const isEdit = this.#edit(entry, kind);
    if (kind.head !== undefined) {
      const from = kind.head(entry);
      this.#head = { id: entry.id, from, projects: kind.project !== undefined };
      this.#candidates = this.#candidates.filter((id) => id >= from);
      for (const target of this.#edits.keys()) if (target < from) this.#edits.delete(target);
      return 'changed';
    }
    if (kind.project !== undefined) this.#candidates.push(entry.id);
    if (isEdit) return 'changed';
    return kind.project === undefined ? 'same' : 'appended';
  }

  get ids(): readonly Id[] {
    return this.retained.filter((id) => this.#edits.get(id)?.action !== 'omit');
  }

  /** The ids before edits: what one edit omits, a later one can bring back. */
  get retained(): readonly Id[] {
    return this.#head?.projects === true ? [this.#head.id, ...this.#candidates] : this.#candidates;
  }

  messages(entry: Entry): readonly Message[] {
    const edit = this.#edits.get(entry.id);
    if (edit?.action === 'replace') return edit.messages;
    return this.#kinds.entry(entry.kind).project?.(entry) ?? [];
  }

  #edit(entry: Entry, kind: EntryKind<unknown, Message>): boolean {
    const edits = kind.edit?.(entry) ?? [];
    for (const edit of edits) if (edit.target >= (this.#head?.from ?? 0)) this.#edits.set(edit.target, edit);
    return edits.length > 0;
  }
}

/** A conversation's context as of a position that only moves forward. Keeps the entries that are in it, no others. */
export class ConversationContext<Message = unknown> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  readonly #conversation: Id;
  readonly #fold: ContextFold<Message>;
  #entries: Map<Id, Entry> | undefined;
  #through = 0;
  #begun = false;

  /** `keepEntries` false: only ids are wanted. */
  constructor(storage: Storage, kinds: Kinds<Message>, conversation: Id, keepEntries: boolean) {
    this.#storage = storage;
    this.#kinds = kinds;
    this.#conversation = conversation;
    this.#fold = new ContextFold(kinds);
    this.#entries = keepEntries ? new Map() : undefined;
  }

  /** The position that it was derived at. */
  get through(): Id {
    return this.#through;
  }

  /** Takes in the transcript up to that entry, inclusive; a position behind it changes nothing. */
  advance(through: Id = end): void {
    const target = Math.min(through, this.#storage.lastSeq);
    if (target <= this.#through) return;
    let after = this.#begun ? this.#through : this.#start(target) - 1;
    this.#begun = true;
    for (;;) {
      const page = this.#storage.readEntries({ conversationId: this.#conversation, through: target, after, limit: pageSize });
      for (const entry of page.items) this.add(entry);
      if (page.next === undefined) break;
      after = page.next;
    }
    this.#through = target;
  }

  /** Takes an entry that was just committed, when everything before it has been taken. */
  add(entry: Entry): 'same' | 'appended' | 'changed' {
    const change = this.#fold.add(entry);
    if (change !== 'same') this.#entries?.set(entry.id, entry);
    if (entry.head === true && this.#entries !== undefined) {
      const kept = new Map<Id, Entry>();
      for (const id of this.#fold.retained) {
        const known = this.#entries.get(id);
        if (known !== undefined) kept.set(id, known);
      }
      this.#entries = kept;
    }
    this.#through = Math.max(this.#through, entry.id);
    return change;
  }

  get ids(): readonly Id[] {
    return this.#fold.ids;
  }

  get entries(): readonly ContextEntry<Message>[] {
    const found: ContextEntry<Message>[] = [];
    for (const id of this.#fold.ids) {
      const entry = this.#entries?.get(id);
      if (entry !== undefined) found.push({ entry, messages: this.#fold.messages(entry) });
    }
    return found;
  }

  /** First entry that can matter: the newest head tells, so that nothing before it is read. */
  #start(through: Id): Id {
    const header = this.#storage.newestHead(this.#conversation, through);
    const head = header === undefined ? undefined : this.#storage.getEntries([header.id]).get(header.id);
    return head === undefined ? 1 : (this.#kinds.entry(head.kind).head?.(head) ?? head.id);
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
