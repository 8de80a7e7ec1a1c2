/**
 * The specification said plainly: a session as a log of writes, every read a walk over all of it. Slow, and with none of the
 * indexes, segments and caches of the real one, so that the two can only agree by both being right.
 */
import type { Address, Conversation, Entry, Id, Json, MainWrite, StateWrite } from '../records.ts';
import { addressKey } from '../storage.ts';
import { edit, note, reset, summary } from './kinds.ts';

export interface ModelMessage {
  readonly id: Id;
  readonly messages: readonly string[];
}

export class Model {
  readonly conversations = new Map<Id, Conversation>();
  readonly deleted = new Set<Id>();
  readonly #entries: Entry[] = [];
  readonly #state: { readonly seq: Id; readonly write: StateWrite }[] = [];
  lastSeq: Id = 0;

  apply(writes: readonly MainWrite[]): void {
    for (const write of writes) {
      this.lastSeq++;
      switch (write.type) {
        case 'createConversation':
          this.conversations.set(write.conversation.id, write.conversation);
          break;
        case 'deleteConversation':
          this.deleted.add(write.id);
          break;
        case 'entry':
          this.#entries.push(write.entry);
          break;
        case 'task':
        case 'patch':
        case 'settle':
          break;
        case 'value.set':
        case 'value.delete':
        case 'list.append':
        case 'list.remove':
        case 'list.clear':
          this.#state.push({ seq: this.lastSeq, write });
          break;
      }
    }
  }

  get live(): readonly Id[] {
    return [...this.conversations.keys()].filter((id) => !this.deleted.has(id));
  }

  transcript(conversation: Id): readonly Entry[] {
    const parent = this.conversations.get(conversation)?.parent;
    const inherited = parent === undefined ? [] : this.transcript(parent.conversationId).filter((entry) => entry.id <= parent.at);
    return [...inherited, ...this.#entries.filter((entry) => entry.conversationId === conversation)];
  }

  newestHead(conversation: Id, at: Id): Entry | undefined {
    return this.transcript(conversation).findLast((entry) => entry.id <= at && (summary.is(entry) || reset.is(entry)));
  }

  retainedFrom(head: Entry): Id {
    return summary.is(head) ? (head.content.retainFrom ?? head.id) : head.id;
  }

  context(conversation: Id, through: Id): readonly ModelMessage[] {
    const head = this.newestHead(conversation, through);
    const from = head === undefined ? 0 : this.retainedFrom(head);
    const range = this.transcript(conversation).filter((entry) => entry.id >= from && entry.id <= through);
    const projected: ModelMessage[] = [];
    if (head !== undefined && summary.is(head)) projected.push({ id: head.id, messages: [`summary: ${head.content.text}`] });
    for (const entry of range) if (note.is(entry)) projected.push({ id: entry.id, messages: [entry.content.text] });
    const edits = range.filter((entry) => edit.is(entry));
    return projected.flatMap((one) => {
      const newest = edits.findLast((entry) => entry.content.target === one.id);
      if (newest === undefined) return [one];
      return newest.content.replacement === undefined ? [] : [{ id: one.id, messages: [newest.content.replacement] }];
    });
  }

  value(addr: Address, at: Id = Infinity): Json | undefined {
    for (const { write } of this.#history(addr, at).toReversed()) {
      if (write.type === 'value.set') return write.value;
      if (write.type === 'value.delete') return undefined;
    }
    return undefined;
  }

  list(addr: Address, at: Id = Infinity): readonly { readonly id: Id; readonly value: Json }[] {
    let elements: { readonly id: Id; readonly value: Json }[] = [];
    for (const { seq, write } of this.#history(addr, at)) {
      if (write.type === 'list.append') elements.push({ id: seq, value: write.value });
      if (write.type === 'list.remove') elements = elements.filter((element) => element.id !== write.element);
      if (write.type === 'list.clear') elements = [];
    }
    return elements;
  }

  /** All writes to an address that count there, oldest first: inherited up to the fork for rewindable state, else only its own. */
  #history(addr: Address, at: Id): { readonly seq: Id; readonly write: StateWrite }[] {
    const key = addressKey(addr);
    const own = this.#state.filter(({ seq, write }) => seq <= at && addressKey(write.addr) === key);
    const of = addr.rewind && 'conversation' in addr.scope ? this.conversations.get(addr.scope.conversation) : undefined;
    const parent = of?.parent;
    if (parent === undefined || of?.owner !== undefined) return own;
    const inherited = this.#history({ ...addr, scope: { conversation: parent.conversationId } }, Math.min(at, parent.at));
    return [...inherited, ...own];
  }
}
