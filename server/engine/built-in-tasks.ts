/**
 * The names under which the engine finds the task kinds of an agent's built-in flows (engine specification 8, 9.5), and the state that
 * the public surface gives to those it creates. Whoever is registered under a name is used: what a host puts there goes on
 * with what is persisted.
 */
import { bound } from './address.ts';
import type { ConfigSpec } from './config-spec.ts';
import type { ConversationTx } from './conversation-tx.ts';
import type { TaskKind, TaskKindRoles } from './kinds.ts';
import type { Id, Json } from './records.ts';

export const builtInTasks = {
  generation: 'generation',
  tool: 'tool',
  postTools: 'post_tools',
  collapse: 'collapse',
  job: 'job',
} as const;

/** Configuration as it was when the task was created: a later attempt uses what the first one used (8.2). */
export type CapturedConfig = Readonly<Record<string, Json>>;

export interface GenerationInput {
  /** The entry that asked for it. */
  readonly input: Id;
  /** Absent: the kind declares none. */
  readonly config?: CapturedConfig;
}

export interface CollapseInput {
  readonly reason: 'manual' | 'threshold' | 'overflow';
  /** The last entry to replace: the end of a complete exchange in the context. */
  readonly through: Id;
  /** The first entry to retain, when there was one; what is appended later is retained too. */
  readonly retainFrom?: Id;
  /** The newest head. A newer one makes the collapse stale. */
  readonly head?: Id;
  readonly instructions?: string;
  readonly config?: CapturedConfig;
}

/** Creates a foreground generation. Throws Rejected `unknownKind` when no such kind is registered. */
export function startGeneration(tx: ConversationTx, input: Id): Id {
  const kind = tx.whole.kinds.task(builtInTasks.generation);
  const state: GenerationInput = { input, ...capturedConfig(tx, kind) };
  return tx.task(kind, { state });
}

/** The values that the kind declares, in this conversation, with what this commit has set. */
export function capturedConfig(tx: ConversationTx, kind: TaskKind | TaskKindRoles): { readonly config?: CapturedConfig } {
  const declared = configOf(kind);
  if (declared === undefined) return {};
  const values = Object.entries(declared).flatMap(([name, addr]) => {
    const value = tx.whole.soFar.value(bound(addr, tx.conversationId));
    return value === undefined ? [] : [[name, value as Json] as const];
  });
  return { config: Object.fromEntries(values) };
}

export function configOf(kind: TaskKind | TaskKindRoles): ConfigSpec | undefined {
  return 'config' in kind ? kind.config : undefined;
}
