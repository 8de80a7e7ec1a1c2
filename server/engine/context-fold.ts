/**
 * How a transcript folds to a context (engine specification 2.1, 2.2): entries in order, one at a time. The newest head gives where it
 * begins; edits fold in transcript order; older heads are controls and no longer there; what has no projection contributes nothing. Keeps
 * ids and edits only.
 */
import type { ContextEdit, EntryKind, Kinds } from './kinds.ts';
import type { Entry, Id } from './records.ts';

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

  /** The edit that is in force for an entry. */
  editOf(id: Id): ContextEdit<Message> | undefined {
    return this.#edits.get(id);
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
