/**
 * A batch made ready to be published: every check that storage makes is made here, against committed state and the batch's own earlier
 * writes, and every payload is turned to JSON, so that publishing cannot fail. Nothing is changed. Throws Rejected.
 */
import { Rejected } from '../errors.ts';
import { jsonText } from '../json-text.ts';
import { scratchPlace, statePlace } from '../place.ts';
import type { Place } from '../place.ts';
import type { CommitBatch, Conversation, Entry, EntryHeader, Id, MainWrite, StateWrite } from '../records.ts';
import { checkElement, checkId, sequenceOf } from '../sequence.ts';
import type { MemoryRecords } from './records.ts';
import type { StoredTask, TaskChange } from './tasks.ts';

/** `text`: JSON of the payload. */
export type PreparedState =
  | { readonly type: 'value.set'; readonly place: Place; readonly rewind: boolean; readonly text: string }
  | { readonly type: 'value.delete'; readonly place: Place; readonly rewind: boolean }
  | { readonly type: 'list.append'; readonly place: Place; readonly rewind: boolean; readonly text: string }
  | { readonly type: 'list.remove'; readonly place: Place; readonly rewind: boolean; readonly element: Id }
  | { readonly type: 'list.clear'; readonly place: Place; readonly rewind: boolean };
export type PreparedWrite =
  | PreparedState
  | { readonly type: 'createConversation'; readonly conversation: Conversation }
  | { readonly type: 'deleteConversation'; readonly id: Id }
  | { readonly type: 'entry'; readonly header: EntryHeader; readonly text: string }
  | { readonly type: 'task'; readonly task: StoredTask }
  /** A patch or a settlement. */
  | { readonly type: 'change'; readonly id: Id; readonly change: TaskChange };
export type PreparedBatch = { readonly first: Id; readonly last: Id } & (
  | { readonly kind: 'main'; readonly writes: readonly PreparedWrite[] }
  | { readonly kind: 'scratch'; readonly task: Id; readonly writes: readonly PreparedState[] }
);

export function prepare(records: MemoryRecords, batch: CommitBatch): PreparedBatch {
  const { first, last } = sequenceOf(batch, records.lastSeq);
  if (batch.kind === 'main') {
    const preparation = new Preparation(records);
    return { first, last, kind: 'main', writes: batch.writes.map((write, i) => preparation.main(write, first + i)) };
  }
  const { task } = batch;
  if (!records.tasks.isLive(task)) throw new Rejected('taskIsTerminal', `there is no live task ${task} to keep scratch for`);
  return {
    first,
    last,
    kind: 'scratch',
    task,
    writes: batch.writes.map((write) => state(write, scratchPlace(task, write.addr))),
  };
}

/** Sees what the batch has done so far. */
class Preparation {
  readonly #records: MemoryRecords;
  readonly #conversations = new Map<Id, 'created' | 'deleted'>();
  readonly #tasks = new Map<Id, 'live' | 'terminal'>();

  constructor(records: MemoryRecords) {
    this.#records = records;
  }

  main(write: MainWrite, seq: Id): PreparedWrite {
    switch (write.type) {
      case 'createConversation':
        checkId(write.conversation.id, seq);
        this.#conversations.set(seq, 'created');
        return { type: 'createConversation', conversation: conversationOf(write.conversation) };
      case 'deleteConversation':
        this.#deleteConversation(write.id);
        return { type: 'deleteConversation', id: write.id };
      case 'entry':
        checkId(write.entry.id, seq);
        return { type: 'entry', header: headerOf(write.entry), text: jsonText(write.entry.content) };
      case 'task':
        checkId(write.task.id, seq);
        this.#tasks.set(seq, write.role === 'terminal' ? 'terminal' : 'live');
        return { type: 'task', task: taskOf(write) };
      case 'patch':
        return this.#change(write.id, {
          ...(write.status === undefined ? {} : { status: write.status.toWellFormed() }),
          ...(write.role === undefined ? {} : { role: write.role }),
          ...(write.state === undefined ? {} : { text: jsonText(write.state) }),
          ...(write.abort === undefined ? {} : { abort: true }),
        });
      case 'settle':
        return this.#change(write.id, {
          status: write.status.toWellFormed(),
          role: 'terminal',
          text: jsonText(write.state),
        });
      case 'value.set':
      case 'value.delete':
      case 'list.append':
      case 'list.remove':
      case 'list.clear':
        return state(write, statePlace(write.addr));
    }
  }

  #deleteConversation(id: Id): void {
    const here = this.#conversations.get(id);
    if (here === 'deleted' || (here === undefined && !this.#records.conversations.isPresent(id)))
      throw new Rejected('unknownConversation', `there is no conversation ${id}`);
    this.#conversations.set(id, 'deleted');
  }

  #change(id: Id, change: TaskChange): PreparedWrite {
    const here = this.#tasks.get(id);
    if (here === 'terminal' || (here === undefined && !this.#records.tasks.isLive(id)))
      throw new Rejected('taskIsTerminal', `there is no live task ${id}`);
    if (change.role === 'terminal') this.#tasks.set(id, 'terminal');
    return { type: 'change', id, change };
  }
}

function state(write: StateWrite, place: Place): PreparedState {
  const { rewind } = write.addr;
  switch (write.type) {
    case 'value.set':
    case 'list.append':
      return { type: write.type, place, rewind, text: jsonText(write.value) };
    case 'list.remove':
      checkElement(write.element);
      return { type: write.type, place, rewind, element: write.element };
    case 'value.delete':
    case 'list.clear':
      return { type: write.type, place, rewind };
  }
}

function conversationOf({ id, parent, owner }: Conversation): Conversation {
  return {
    id,
    ...(parent === undefined ? {} : { parent: { conversationId: parent.conversationId, at: parent.at } }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function headerOf({ id, conversationId, kind, key, head, byTaskId }: Entry): EntryHeader {
  return {
    id,
    conversationId,
    kind: kind.toWellFormed(),
    ...(key === undefined ? {} : { key: key.toWellFormed() }),
    ...(head === undefined ? {} : { head }),
    ...(byTaskId === undefined ? {} : { byTaskId }),
  };
}

function taskOf({ task, role }: Extract<MainWrite, { readonly type: 'task' }>): StoredTask {
  return {
    id: task.id,
    conversationId: task.conversationId,
    kind: task.kind.toWellFormed(),
    status: task.status.toWellFormed(),
    role,
    after: [...task.after],
    background: task.background !== undefined,
    abort: task.abort !== undefined,
    text: jsonText(task.state),
  };
}
