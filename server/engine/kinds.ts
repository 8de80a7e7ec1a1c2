/**
 * Kinds are code, entries and tasks are data (engine specification 2.1, 5.2). A kind is the type witness of what is stored
 * under its name and tells how an entry projects to messages, opens a context or edits it. `Message` is whatever the host's
 * models take; the engine only passes it on. Kind functions must be pure: the same entry always gives the same answer.
 */
import { Rejected } from './errors.ts';
import type { Entry, Id, Json, Task, TaskRole } from './records.ts';

/** Changes how an earlier visible entry projects; the newest edit of a target wins, an edit outside the context is a no-op. */
export type ContextEdit<Message = unknown> =
  | { readonly target: Id; readonly action: 'omit' }
  | { readonly target: Id; readonly action: 'replace'; readonly messages: readonly Message[] };

export interface EntryKind<Content, Message = unknown> {
  readonly kind: string;
  /** What a model receives of it. Absent: it never reaches one. */
  project?(entry: Entry<Content>): readonly Message[];
  /** The kind is a context head: id of the first retained entry, inclusive; its own id retains nothing earlier. */
  head?(entry: Entry<Content>): Id;
  edit?(entry: Entry<Content>): readonly ContextEdit<Message>[];
  is(entry: Entry<unknown>): entry is Entry<Content>;
}

/** What the engine must know of a task kind to derive the role of a status. What the kind does is the driver's. */
export interface TaskKindRoles<State = unknown> {
  readonly kind: string;
  /** May be terminal: work that was done elsewhere and is only recorded here. */
  readonly initialStatus: string;
  readonly roles: Readonly<Record<string, TaskRole>>;
  readonly __state?: State;
}

type Behaviour<Content, Message> = Omit<EntryKind<Content, Message>, 'kind' | 'is'>;

export function entryKind<Content, Message = unknown>(
  name: string,
  behaviour: Behaviour<Content, Message> = {},
): EntryKind<Content, Message> {
  return { kind: name, ...behaviour, is: (entry: Entry<unknown>): entry is Entry<Content> => entry.kind === name };
}

/** The kinds of one open session. */
export class Kinds<Message = unknown> {
  readonly #entries: ReadonlyMap<string, EntryKind<unknown, Message>>;
  readonly #tasks: ReadonlyMap<string, TaskKindRoles>;

  constructor(entries: readonly EntryKind<unknown, Message>[], tasks: readonly TaskKindRoles[]) {
    this.#entries = new Map(entries.map((kind) => [kind.kind, kind]));
    this.#tasks = new Map(tasks.map((kind) => [kind.kind, kind]));
  }

  /** Throws Rejected `unknownKind`. */
  entry(name: string): EntryKind<unknown, Message> {
    const kind = this.#entries.get(name);
    if (kind === undefined) throw new Rejected('unknownKind', `no entry kind is registered under ${JSON.stringify(name)}`);
    return kind;
  }

  hasEntry(name: string): boolean {
    return this.#entries.has(name);
  }

  hasTask(name: string): boolean {
    return this.#tasks.has(name);
  }

  /** Role of a task kind's status. Throws Rejected `unknownKind` or `unknownStatus`. */
  role(name: string, status: string): TaskRole {
    const kind = this.#tasks.get(name);
    if (kind === undefined) throw new Rejected('unknownKind', `no task kind is registered under ${JSON.stringify(name)}`);
    const role = Object.hasOwn(kind.roles, status) ? kind.roles[status] : undefined;
    if (role === undefined)
      throw new Rejected('unknownStatus', `task kind ${JSON.stringify(name)} has no status ${JSON.stringify(status)}`);
    return role;
  }
}

/** Gives what is stored under a kind its type; undefined when it is of another kind (engine specification 2.1, 5.2). */
export function asTask<State>(kind: TaskKindRoles<State>, task: Task | undefined): Task<State> | undefined {
  return task?.kind === kind.kind ? (task as unknown as Task<State>) : undefined;
}

/** Content and state are strict JSON by contract and are not looked at (7.3: stored objects are trusted). */
export function stored(content: unknown): Json {
  return content as Json;
}
