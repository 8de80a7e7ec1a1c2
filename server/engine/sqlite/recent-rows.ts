/**
 * Rows of tasks and conversations that the session's one writer needs not read again: its line, its validation and its driver ask for the
 * same few many times a commit. What is here is what the file says: tasks are taken from the writer's own batches once they are
 * durable, conversations from those and from what was read; after a failure, and for who never wrote, nothing is. Bounded.
 */
import type { CommitBatch, Id } from '../records.ts';
import type { Link } from '../segments.ts';
import type { TaskRow } from './task-row.ts';

export interface RecentLimits {
  readonly tasks: number;
  readonly conversations: number;
  /** Characters of a task's state. */
  readonly state: number;
}

const usual: RecentLimits = { tasks: 512, conversations: 1024, state: 16_384 };

export class RecentRows {
  /** The one that was written last stands last. */
  readonly #tasks = new Map<Id, TaskRow>();
  /** Those of the tasks that have scratch, or had some. */
  readonly #scratched = new Set<Id>();
  readonly #links = new Map<Id, Link>();
  readonly #limits: RecentLimits;
  #isWriter = false;

  constructor(limits = usual) {
    this.#limits = limits;
  }

  task(id: Id): TaskRow | undefined {
    return this.#tasks.get(id);
  }

  /** False: perhaps not. */
  isLive(task: Id): boolean {
    const known = this.#tasks.get(task);
    return known !== undefined && known.role !== 'terminal';
  }

  /** The task surely has none: it was made here and nothing of it was committed. */
  hasNoScratch(task: Id): boolean {
    return this.#tasks.has(task) && !this.#scratched.has(task);
  }

  link(id: Id): Link | undefined {
    return this.#links.get(id);
  }

  /** A batch is being written: nothing that is read now may be kept. */
  pause(): void {
    this.#isWriter = false;
  }

  clear(): void {
    this.#isWriter = false;
    this.#tasks.clear();
    this.#scratched.clear();
    this.#links.clear();
  }

  /** As it was read. */
  keepLink(id: Id, link: Link): void {
    if (this.#isWriter) this.#setLink(id, link);
  }

  /** The batch is durable. `states`: the text that was written of write i's state, where it has one. */
  committed(batch: CommitBatch, first: Id, states: readonly (string | undefined)[]): void {
    this.#isWriter = true;
    if (batch.kind === 'scratch') {
      if (this.#tasks.has(batch.task)) this.#scratched.add(batch.task);
      return;
    }
    const owned: (readonly [owner: Id, conversation: Id])[] = [];
    batch.writes.forEach((write, i) => {
      switch (write.type) {
        case 'createConversation': {
          const { id, parent, owner = null } = write.conversation;
          this.#setLink(id, { parent: parent?.conversationId ?? null, at: parent?.at ?? null, owner, deleted: null });
          if (owner !== null) owned.push([owner, id]);
          break;
        }
        case 'deleteConversation': {
          const link = this.#links.get(write.id);
          if (link !== undefined) this.#setLink(write.id, { ...link, deleted: first + i });
          break;
        }
        case 'task': {
          const { id, conversationId, kind, status, background, abort, after } = write.task;
          this.#setTask({
            id,
            conversation: conversationId,
            kind: kind.toWellFormed(),
            status: status.toWellFormed(),
            role: write.role,
            background: background === undefined ? null : 1,
            abort: abort === undefined ? null : 1,
            after: JSON.stringify(after),
            owns: '[]',
            state: states[i] ?? '',
          });
          break;
        }
        case 'patch':
          this.#change(write.id, write.status, write.role, states[i], write.abort);
          break;
        case 'settle':
          this.#change(write.id, write.status, 'terminal', states[i]);
          break;
        case 'entry':
        case 'value.set':
        case 'value.delete':
        case 'list.append':
        case 'list.remove':
        case 'list.clear':
          break;
      }
    });
    for (const [owner, conversation] of owned) {
      const task = this.#tasks.get(owner);
      if (task === undefined) continue;
      this.#setTask({ ...task, owns: JSON.stringify([...(JSON.parse(task.owns) as readonly Id[]), conversation]) });
    }
  }

  #change(id: Id, status: string | undefined, role = this.#tasks.get(id)?.role, state?: string, abort?: true): void {
    const task = this.#tasks.get(id);
    if (task === undefined || role === undefined) return;
    this.#setTask({
      ...task,
      role,
      status: status?.toWellFormed() ?? task.status,
      state: state ?? task.state,
      abort: abort === undefined ? task.abort : 1,
    });
  }

  #setTask(task: TaskRow): void {
    this.#tasks.delete(task.id);
    this.#tasks.set(task.id, task);
    if (task.state.length > this.#limits.state) this.#forget(task.id);
    if (this.#tasks.size <= this.#limits.tasks) return;
    const [oldest] = this.#tasks.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(task: Id): void {
    this.#tasks.delete(task);
    this.#scratched.delete(task);
  }

  #setLink(id: Id, link: Link): void {
    if (this.#links.size >= this.#limits.conversations) this.#links.clear();
    this.#links.set(id, link);
  }
}
