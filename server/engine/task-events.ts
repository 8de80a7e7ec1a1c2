/** What a batch does to tasks, as events (engine specification 9.4): one for every kind of task alike. */
import type { Kinds } from './kinds.ts';
import type { Conversation, Id, MainWrite, Task } from './records.ts';
import type { TaskEvent } from './view.ts';

export class TaskEvents {
  readonly #kinds: Kinds;
  /** As the batch leaves them so far. */
  readonly #tasks: Map<Id, Task>;

  /** `before`: the tasks that the batch changes, as they were. */
  constructor(kinds: Kinds, before: ReadonlyMap<Id, Task>) {
    this.#kinds = kinds;
    this.#tasks = new Map(before);
  }

  /** Undefined: the write changes no live task. To be called with every write, in order. */
  of(write: MainWrite, seq: Id): TaskEvent | undefined {
    switch (write.type) {
      case 'task':
        this.#tasks.set(write.task.id, write.task);
        return { type: write.role === 'terminal' ? 'task_end' : 'task_start', task: write.task, seq };
      case 'patch':
      case 'settle':
        return this.#changed(write, seq);
      case 'createConversation':
        return this.#owning(write.conversation, seq);
      case 'entry':
      case 'deleteConversation':
      case 'value.set':
      case 'value.delete':
      case 'list.append':
      case 'list.remove':
      case 'list.clear':
        return undefined;
    }
  }

  #changed(write: MainWrite & { readonly type: 'patch' | 'settle' }, seq: Id): TaskEvent | undefined {
    const previous = this.#tasks.get(write.id);
    if (previous === undefined) return undefined;
    const task: Task = {
      ...previous,
      ...(write.status === undefined ? {} : { status: write.status }),
      ...(write.state === undefined ? {} : { state: write.state }),
      ...(write.type === 'patch' && write.abort === true ? { abort: true as const } : {}),
    };
    this.#tasks.set(task.id, task);
    return this.#isLive(task) ? { type: 'task_update', task, previous, seq } : { type: 'task_end', task, seq };
  }

  /** A live task got one more conversation. */
  #owning(conversation: Conversation, seq: Id): TaskEvent | undefined {
    const previous = conversation.owner === undefined ? undefined : this.#tasks.get(conversation.owner);
    if (previous === undefined || !this.#isLive(previous)) return undefined;
    const task: Task = { ...previous, owns: [...(previous.owns ?? []), conversation.id] };
    this.#tasks.set(task.id, task);
    return { type: 'task_update', task, previous, seq };
  }

  /** Tasks of a kind that nobody knows any more are terminal: the session would not have opened otherwise. */
  #isLive(task: Task): boolean {
    return this.#kinds.hasTask(task.kind) && this.#kinds.role(task.kind, task.status) !== 'terminal';
  }
}
