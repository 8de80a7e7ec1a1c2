/**
 * The tasks of a session, and the live ones among them: of the session and of each conversation. What a task owns is not kept with
 * it: it is the conversations that name it as their owner, so the two can never disagree.
 */
import { cut, listOf, remove } from './ordered.ts';
import type { Range } from '../paging.ts';
import type { Id, Json, Task, TaskHeader, TaskRole } from '../records.ts';
import type { TaskFilter, TaskReads } from '../rows.ts';

/** A task as it is kept: the state as JSON. */
export interface StoredTask {
  readonly id: Id;
  readonly conversationId: Id;
  readonly kind: string;
  readonly after: readonly Id[];
  readonly background: boolean;
  readonly status: string;
  readonly role: TaskRole;
  readonly abort: boolean;
  readonly text: string;
}
export type TaskChange = Partial<Pick<StoredTask, 'kind' | 'status' | 'role' | 'abort' | 'text'>>;
type Kept = { -readonly [Property in keyof StoredTask]: StoredTask[Property] };

export class Tasks implements TaskReads {
  readonly #ownedBy: (task: Id) => readonly Id[];
  readonly #byId = new Map<Id, Kept>();
  readonly #all: Kept[] = [];
  readonly #live: Kept[] = [];
  readonly #ofConversation = new Map<Id, Kept[]>();
  readonly #liveOfConversation = new Map<Id, Kept[]>();

  constructor(ownedBy: (task: Id) => readonly Id[]) {
    this.#ownedBy = ownedBy;
  }

  add(task: StoredTask): void {
    const kept = { ...task };
    this.#byId.set(task.id, kept);
    this.#all.push(kept);
    listOf(this.#ofConversation, task.conversationId).push(kept);
    if (task.role === 'terminal') return;
    this.#live.push(kept);
    listOf(this.#liveOfConversation, task.conversationId).push(kept);
  }

  change(id: Id, change: TaskChange): void {
    const kept = this.#byId.get(id);
    if (kept === undefined) return;
    Object.assign(kept, change);
    if (change.role !== 'terminal') return;
    remove(this.#live, id);
    const live = this.#liveOfConversation.get(kept.conversationId) ?? [];
    remove(live, id);
    if (live.length === 0) this.#liveOfConversation.delete(kept.conversationId);
  }

  isLive(id: Id): boolean {
    const kept = this.#byId.get(id);
    return kept !== undefined && kept.role !== 'terminal';
  }

  get all(): readonly StoredTask[] {
    return this.#all;
  }

  conversationOf(id: Id): Id | undefined {
    return this.#byId.get(id)?.conversationId;
  }

  byIds(ids: readonly Id[]): Task[] {
    return this.#found(ids).map((kept) => this.#toTask(kept));
  }

  headersById(ids: readonly Id[]): TaskHeader[] {
    return this.#found(ids).map((kept) => this.#toHeader(kept));
  }

  range(filter: TaskFilter, range: Range, limit: number): Task[] {
    return this.#cut(filter, range, limit).map((kept) => this.#toTask(kept));
  }

  headerRange(filter: TaskFilter, range: Range, limit: number): TaskHeader[] {
    return this.#cut(filter, range, limit).map((kept) => this.#toHeader(kept));
  }

  #found(ids: readonly Id[]): Kept[] {
    return ids.map((id) => this.#byId.get(id)).filter((kept) => kept !== undefined);
  }

  #cut(filter: TaskFilter, range: Range, limit: number): Kept[] {
    const { conversations, live, role, kind, abort, background } = filter;
    const accepts = (task: Kept): boolean =>
      (role === undefined || task.role === role) &&
      (kind === undefined || task.kind === kind) &&
      (abort === undefined || task.abort === abort) &&
      (background === undefined || task.background === background);
    if (conversations === undefined) return cut(live ? this.#live : this.#all, range, limit, accepts);
    const lists = live ? this.#liveOfConversation : this.#ofConversation;
    const found = conversations.flatMap((id) => cut(lists.get(id) ?? [], range, limit, accepts));
    if (conversations.length < 2) return found;
    return found.toSorted((a, b) => (range.order === 'asc' ? a.id - b.id : b.id - a.id)).slice(0, limit);
  }

  #toHeader({ id, conversationId, kind, status, role, after, background, abort }: Kept): TaskHeader {
    const owns = this.#ownedBy(id);
    return {
      id,
      conversationId,
      kind,
      status,
      role,
      after: [...after],
      ...(background ? { background: true as const } : {}),
      ...(owns.length === 0 ? {} : { owns }),
      ...(abort ? { abort: true as const } : {}),
    };
  }

  #toTask(kept: Kept): Task {
    const { role: _, ...header } = this.#toHeader(kept);
    return { ...header, state: JSON.parse(kept.text) as Json };
  }
}
