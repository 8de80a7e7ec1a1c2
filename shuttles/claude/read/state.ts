/**
 * What the reader remembers between records. It is JSON and bounded: every list has a limit and every text in it is cut, so
 * that it does not grow with the file. Type aliases, not interfaces: only those count as JSON values for TypeScript.
 */
import type { JsonValue } from '../../contract/json.ts';
import type { Usage } from '../../contract/message.ts';
import type { PlanItem } from '../../contract/entry.ts';
import type { SessionFacts, SourceIdentity } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';

/** What is kept of a call until its result comes. */
export type OpenCall = {
  id: string;
  name: string;
  command?: string;
  url?: string;
  path?: string;
  title?: string;
  agent?: string;
  status?: string;
  taskId?: string;
  questions?: string[];
  /** The list that TodoWrite is given; only the newest call keeps one. */
  todos?: { text: string; status: PlanItem['status'] }[];
};
export type UsageCount = { id: string; input: number; output: number; cacheRead: number; cacheWrite: number; reasoning: number };
export type TrackedTask = { id: string; text: string; status: PlanItem['status'] };
export type QueuedPrompt = { text: string; at: number | null; offset: number; length: number };
export type Facts = { -readonly [K in keyof SessionFacts]: SessionFacts[K] };

export type State = {
  id: string;
  /** A subagent's own file. */
  child: boolean;
  /** Held in Cowork's virtual machine: its paths mean nothing here. */
  cowork: boolean;
  /** Key of the last record of the tree that is no sidechain. */
  last: string | null;
  /** A subagent of old versions wrote into this very file: the head must be said aloud. */
  inlineSidechain: boolean;
  calls: OpenCall[];
  usage: UsageCount[];
  tasks: TrackedTask[];
  /** Commands that go on behind the talk. */
  background: { id: string; command: string }[];
  queue: QueuedPrompt[];
  removed: QueuedPrompt[];
  compaction: { trigger?: 'manual' | 'auto'; tokensBefore?: number; retain?: string } | null;
  bash: string | null;
  command: { key: string; text: string } | null;
  typed: boolean;
  permission: string | null;
  mode: string | null;
  model: string | null;
  summaries: { leaf: string; text: string }[];
  facts: Facts;
};

const limits = { calls: 128, usage: 16, tasks: 100, background: 32, queue: 32, removed: 8, summaries: 8 } as const;

export function startState(identity: SourceIdentity, path: string): State {
  return {
    id: identity.nativeId,
    child: identity.childOf !== undefined,
    cowork: path.replaceAll('\\', '/').includes('/local-agent-mode-sessions/'),
    last: null,
    inlineSidechain: false,
    calls: [],
    usage: [],
    tasks: [],
    background: [],
    queue: [],
    removed: [],
    compaction: null,
    bash: null,
    command: null,
    typed: false,
    permission: null,
    mode: null,
    model: null,
    summaries: [],
    facts: {},
  };
}

/** A copy that may be changed while a batch is read; the given state stays as it was. */
export function draftOf(state: State): State {
  // States that an earlier version saved have no list of these.
  return Object.assign({ background: [] }, copiedState(state));
}

/** Pushes, and lets the oldest go when there are too many. */
export function remember<K extends keyof typeof limits>(state: State, list: K, item: State[K][number]): void {
  const items: JsonValue[] = state[list];
  items.push(item);
  if (items.length > limits[list]) items.shift();
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}

/** What these counts add to those already given out for the message; undefined when nothing is new. */
export function usageIncrement(state: State, count: UsageCount): Usage | undefined {
  const known = state.usage.find((item) => item.id === count.id);
  const base: UsageCount = known ?? { id: count.id, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  const grown = (name: Exclude<keyof UsageCount, 'id'>): number => Math.max(0, count[name] - base[name]);
  const [input, output, cacheRead, cacheWrite, reasoning] = [
    grown('input'),
    grown('output'),
    grown('cacheRead'),
    grown('cacheWrite'),
    grown('reasoning'),
  ];
  if (known === undefined) remember(state, 'usage', count);
  else {
    known.input += input;
    known.output += output;
    known.cacheRead += cacheRead;
    known.cacheWrite += cacheWrite;
    known.reasoning += reasoning;
  }
  if (input + output + cacheRead + cacheWrite + reasoning === 0) return undefined;
  return { input, output, cacheRead, cacheWrite, ...(reasoning === 0 ? {} : { reasoning }) };
}
