/**
 * The record of a hand-over: a task of the conversation that is carried. Here are its statuses and what it remembers, so that every
 * process can open a session that has one; the work itself is in server/drive. It remembers what an end after a crash needs, and
 * nothing of what was said: the baton stands in the `handoff` entry, the session's bytes are not kept.
 */
import type { TaskKindRoles } from '../engine/kinds.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { ContinueMode } from '../protocol/requests.ts';
import type { Beside } from '../../shuttles/contract/shuttle.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export interface ContinueState {
  /** Id of the thread. */
  readonly thread: string;
  readonly from: HarnessId;
  readonly to: HarnessId;
  /** How it is carried; absent, in records of an older Loom: `native`. */
  readonly mode?: ContinueMode;
  /** Of the session that is written or gone on with; of a `prompt` its mark, since the harness names that session itself. */
  readonly nativeId: string;
  /** Epoch of the lease that this hand-over follows; its own is the next one. */
  readonly epoch: number;
  /** Known once the file may be written to; the hash is of Loom's bytes. */
  readonly path?: string;
  readonly sha256?: string;
  /** What the harness wants beside the file, if anything. */
  readonly beside?: Beside;
  /** Of a `return`: where Loom's bytes begin in the file. */
  readonly offset?: number;
  /** Of a `done` one: its `handoff` entry. */
  readonly entry?: number;
  /** Of a `refused` one: why, for the person. */
  readonly fault?: { readonly id: FaultId; readonly detail: string };
}

const roles = {
  asked: 'start',
  /** The file may exist; nothing of the thread has changed. */
  writing: 'inflight',
  done: 'terminal',
  /** Not carried, for a reason that the person was told. */
  refused: 'terminal',
  /** Broken off; nothing is left of it. */
  undone: 'terminal',
  /** Broken off, but the target has gone on with the session: it is a thread of its own. */
  abandoned: 'terminal',
} as const;
export type ContinueStatus = keyof typeof roles;

export const continueTask: TaskKindRoles<ContinueState> = { kind: 'continue', initialStatus: 'asked', roles };
