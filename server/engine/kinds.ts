/**
 * Kinds are code, entries and tasks are data (engine specification 2.1, 5.2). A kind is the type witness of what is stored
 * under its name and tells how an entry projects to messages, opens a context or edits it, and how a task is executed. `Message`
 * is whatever the host's models take; the engine only passes it on. An entry kind's functions must be pure: the same entry always
 * gives the same answer.
 */
import type { ConfigSpec } from './config-spec.ts';
import { Rejected } from './errors.ts';
import type { HookPoints, HookSpecs } from './hook-points.ts';
import type { Entry, Id, Json, Task, TaskRole } from './records.ts';
import type { ScratchReader, TaskContext } from './task-context.ts';

/** Changes how an earlier visible entry projects; the newest edit of a target wins, an edit outside the context is a no-op. */
export type ContextEdit<Message = unknown> =
  | { readonly target: Id; readonly action: 'omit' }
  | { readonly target: Id; readonly action: 'replace'; readonly messages: readonly Message[] };

/** What an entry is in an exchange: calls of tools, and the results that answer them. */
export interface Exchange {
  /** Calls that the entry makes, each to be answered by a later entry. */
  readonly calls?: readonly string[];
  /** The call that the entry answers. */
  readonly answers?: string;
  /** Nothing before it is waited for any longer: a prompt, or a model's next message. */
  readonly starts?: true;
  /** Belongs to what follows it: instructions that hold for the next exchange. */
  readonly governs?: true;
}

export interface EntryKind<Content, Message = unknown> {
  readonly kind: string;
  /** What a model receives of it. Absent: it never reaches one. */
  project?(entry: Entry<Content>): readonly Message[];
  /** The kind is a context head: id of the first retained entry, inclusive; its own id retains nothing earlier. */
  head?(entry: Entry<Content>): Id;
  edit?(entry: Entry<Content>): readonly ContextEdit<Message>[];
  /** Absent: the kind takes no part in exchanges, and none of their rules is enforced on it. A head takes part with `{}`. */
  exchange?(entry: Entry<Content>): Exchange;
  is(entry: Entry<unknown>): entry is Entry<Content>;
}

/** What the engine must know of a task kind to derive the role of a status; enough for work that is done elsewhere. */
export interface TaskKindRoles<State = unknown> {
  readonly kind: string;
  /** May be terminal: work that was done elsewhere and is only recorded here. */
  readonly initialStatus: string;
  readonly roles: Readonly<Record<string, TaskRole>>;
  readonly __state?: State;
}

/** What a UI sees of a running task: built once from durable scratch, then mutated in place by the execution (9.4). */
export interface PreviewSpec<Preview extends object> {
  init(scratch: ScratchReader): Preview;
}

/**
 * A kind of work (5.2, 5.3). An execution commits an inflight status before any effect outside, may wait for the world but never for
 * another task, and changes its status or settles before it returns. `recover` is called for an inflight task that no process
 * executes any more; `abort` for a marked task once its execution has returned, and must settle it.
 */
export interface TaskKind<
  State = unknown,
  Hooks extends HookPoints = HookPoints,
  Config extends ConfigSpec = ConfigSpec,
  Preview extends object = object,
> extends TaskKindRoles<State> {
  readonly hooks?: HookSpecs<Hooks>;
  readonly config?: Config;
  readonly preview?: PreviewSpec<Preview>;
  execute(task: Task<State>, context: TaskContext<Preview>): Promise<void>;
  recover(task: Task<State>, context: TaskContext<Preview>): Promise<void>;
  abort(task: Task<State>, context: TaskContext<Preview>): Promise<void>;
}

type Behaviour<Content, Message> = Omit<EntryKind<Content, Message>, 'kind' | 'is'>;

export function entryKind<Content, Message = unknown>(
  name: string,
  behaviour: Behaviour<Content, Message> = {},
): EntryKind<Content, Message> {
  return { kind: name, ...behaviour, is: (entry: Entry<unknown>): entry is Entry<Content> => entry.kind === name };
}

/** The kinds of one open session. A kind registered later under a name that is taken replaces the earlier one. */
export class Kinds<Message = unknown> {
  readonly #entries: ReadonlyMap<string, EntryKind<unknown, Message>>;
  readonly #tasks: ReadonlyMap<string, TaskKindRoles | TaskKind>;

  constructor(entries: readonly EntryKind<unknown, Message>[], tasks: readonly (TaskKindRoles | TaskKind)[]) {
    this.#entries = new Map(entries.map((kind) => [kind.kind, kind]));
    this.#tasks = new Map(tasks.map((kind) => [kind.kind, kind]));
  }

  /** Throws Rejected `unknownKind`. */
  entry(name: string): EntryKind<unknown, Message> {
    const kind = this.#entries.get(name);
    if (kind === undefined) throw new Rejected('unknownKind', `no entry kind is registered under ${JSON.stringify(name)}`);
    return kind;
  }

  /** Where the context of a head begins: the first entry that it retains. */
  retainedFrom(head: Entry): Id {
    return this.entry(head.kind).head?.(head) ?? head.id;
  }

  hasEntry(name: string): boolean {
    return this.#entries.has(name);
  }

  hasTask(name: string): boolean {
    return this.#tasks.has(name);
  }

  /** Throws Rejected `unknownKind`. */
  task(name: string): TaskKindRoles | TaskKind {
    const kind = this.#tasks.get(name);
    if (kind === undefined) throw new Rejected('unknownKind', `no task kind is registered under ${JSON.stringify(name)}`);
    return kind;
  }

  /** Undefined: nobody is registered under the name, or the work is done elsewhere. */
  behaviour(name: string): TaskKind | undefined {
    const kind = this.#tasks.get(name);
    return kind !== undefined && 'execute' in kind ? kind : undefined;
  }

  get behaviours(): readonly TaskKind[] {
    return [...this.#tasks.values()].filter((kind): kind is TaskKind => 'execute' in kind);
  }

  /** Role of a task kind's status. Throws Rejected `unknownKind` or `unknownStatus`. */
  role(name: string, status: string): TaskRole {
    const kind = this.task(name);
    const role = Object.hasOwn(kind.roles, status) ? kind.roles[status] : undefined;
    if (role === undefined)
      throw new Rejected('unknownStatus', `task kind ${JSON.stringify(name)} has no status ${JSON.stringify(status)}`);
    return role;
  }
}

/** Gives what is stored under a kind its type; undefined when it is of another kind (engine specification 2.1, 5.2). */
export function asTask<State>(kind: TaskKindRoles<State>, task: Task | undefined): Task<State> | undefined {
  return task !== undefined && isTask(kind, task) ? task : undefined;
}

export function isTask<State>(kind: TaskKindRoles<State>, task: Task<unknown>): task is Task<State> {
  return task.kind === kind.kind;
}

/** Content and state are strict JSON by contract and are not looked at (7.3: stored objects are trusted). */
export function stored(content: unknown): Json {
  return content as Json;
}
