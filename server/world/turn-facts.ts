/**
 * What an agent's own records say of a turn: which files its edit tools reported, whether anything ran that could change others, and when
 * it first did something that changes files. Pure over the turn's entries, and those of the subagents that it started.
 */
import path from 'node:path';
import type { ActionDetails, LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { boundaryAt } from './turn-boundary.ts';

export interface TurnFacts {
  /** Entry of the prompt. */
  readonly entry: number;
  readonly harness: HarnessId;
  /** Milliseconds since 1970; null: the record says none. */
  readonly at: number | null;
  /** When something began for the first time that may have changed a file; null: nothing did. */
  readonly began: number | null;
  /** Inside the worktree, `/` between parts. */
  readonly edited: ReadonlySet<string>;
  /** Commands ran, or something of which it is not known what it did. */
  readonly ran: boolean;
  /** Subagents were started. */
  readonly helped: boolean;
  /** Its newest entry, and the time of that. */
  readonly last: number;
  readonly until: number | null;
  /** Another prompt stands behind it: nothing more comes. */
  readonly closed: boolean;
}
/** How paths of records become paths inside the worktree. */
export interface Folders {
  /** The worktree, behind links. */
  readonly root: string;
  /** The folder that the agent works in, as its records spell it, and behind links. */
  readonly cwd: string;
  readonly realCwd: string;
}

/** They change no file. */
const harmless: ReadonlySet<ActionDetails['action']> = new Set([
  'read',
  'search',
  'fetch',
  'webSearch',
  'question',
  'plan',
  'image',
]);

/** `entries`: from the prompt on; what stands behind the next one is not read. */
export function turnFacts(entries: Iterable<LedgerEntry>, folders: Folders): TurnFacts | undefined {
  let prompt: LedgerEntry | undefined;
  let last = 0;
  let until: number | null = null;
  let closed = false;
  const doings = new Doings(folders);
  for (const entry of entries) {
    if (prompt === undefined) prompt = entry;
    else if (boundaryAt(entry) === 'prompt') {
      closed = true;
      break;
    }
    last = entry.id;
    until = entry.content.at ?? until;
    doings.take(entry);
  }
  if (prompt === undefined) return undefined;
  const { provenance, at } = prompt.content;
  return { entry: prompt.id, harness: provenance.harness, at, last, until, closed, ...doings.end() };
}

/** The same turn with what its subagents did. */
export function withHelpers(turn: TurnFacts, entries: Iterable<LedgerEntry>, folders: Folders): TurnFacts {
  const doings = new Doings(folders);
  for (const entry of entries) {
    const { at } = entry.content;
    if (at !== null && turn.at !== null && at >= turn.at && (turn.until === null || at <= turn.until)) doings.take(entry);
  }
  const { began, edited, ran } = doings.end();
  return {
    ...turn,
    began: turn.began === null ? began : began === null ? turn.began : Math.min(began, turn.began),
    edited: new Set([...turn.edited, ...edited]),
    ran: turn.ran || ran,
  };
}

class Doings {
  readonly #folders: Folders;
  /** Calls whose result has not come: when they were made. */
  readonly #calls = new Map<string, number | null>();
  readonly #edited = new Set<string>();
  #began: number | null = null;
  #ran = false;
  #helped = false;

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  take(entry: LedgerEntry): void {
    if (entry.kind === 'assistant') {
      for (const block of entry.content.content) if (block.type === 'toolCall') this.#calls.set(block.id, entry.content.at);
    } else if (entry.kind === 'tool_result') {
      const called = this.#calls.get(entry.content.toolCallId) ?? entry.content.at;
      this.#calls.delete(entry.content.toolCallId);
      this.#did(entry.content.details ?? {}, called);
    } else if (entry.kind === 'step') {
      const { at, details } = entry.content;
      this.#did(details, at === null ? null : at - (details.durationMs ?? 0));
    }
  }

  end(): Pick<TurnFacts, 'began' | 'edited' | 'ran' | 'helped'> {
    // Of what has no result it is not known what it did.
    for (const at of this.#calls.values()) this.#did({}, at);
    return { began: this.#began, edited: this.#edited, ran: this.#ran, helped: this.#helped };
  }

  #did({ action, status, files = [], cwd }: ActionDetails, at: number | null): void {
    if (harmless.has(action) || status === 'denied') return;
    if (at !== null) this.#began = Math.min(this.#began ?? at, at);
    if (action === 'agent') this.#helped = true;
    if (action !== 'edit') this.#ran = true;
    if (status === 'failed') return;
    for (const file of files)
      for (const name of [file.path, file.movedTo]) {
        const inside = name === undefined ? undefined : insideOf(name, this.#folders, cwd);
        if (inside !== undefined) this.#edited.add(inside);
      }
  }
}

/** undefined: it is not in the worktree. */
export function insideOf(name: string, { root, cwd, realCwd }: Folders, own?: string): string | undefined {
  const absolute = path.isAbsolute(name) ? name : path.resolve(own !== undefined && path.isAbsolute(own) ? own : realCwd, name);
  for (const folder of [root, spelledRoot(root, cwd, realCwd)]) {
    const inside = folder === undefined ? undefined : below(folder, absolute);
    if (inside !== undefined) return inside.split(path.sep).join('/');
  }
  return undefined;
}

/** The worktree as the records spell it, when their folder lies behind a link. */
function spelledRoot(root: string, cwd: string, realCwd: string): string | undefined {
  const inside = below(root, realCwd);
  const end = inside === undefined || inside === '' ? '' : path.sep + inside;
  return inside !== undefined && cwd !== '' && cwd.endsWith(end) ? cwd.slice(0, cwd.length - end.length) : undefined;
}

function below(folder: string, file: string): string | undefined {
  const inside = path.relative(folder, file);
  return inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside) ? undefined : inside;
}
