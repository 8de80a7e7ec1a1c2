/**
 * The drives that wait for their scope to be idle (engine specification 6.1, 6.2). Each is remembered by one task that keeps it waiting, so
 * a settlement asks again only for the drives that waited for that very task, however many there are.
 */
import type { Id } from './records.ts';
import type { Scope } from './scope.ts';

export type DriveOutcome = 'idle' | 'closed';

export interface Drive {
  readonly scope: Scope;
  readonly resolve: (outcome: DriveOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export class Drives {
  readonly #blockers = new Map<Drive, Id | undefined>();
  readonly #blocked = new Map<Id, Set<Drive>>();
  readonly #unanswered = new Set<Drive>();

  add(drive: Drive): void {
    this.#blockers.set(drive, undefined);
    this.#unanswered.add(drive);
  }

  remove(drive: Drive): void {
    this.#unblock(drive);
    this.#blockers.delete(drive);
    this.#unanswered.delete(drive);
  }

  /** It waits for that task at least: nothing is to be asked before that one is settled. */
  block(drive: Drive, task: Id): void {
    if (!this.#blockers.has(drive)) return;
    this.#unblock(drive);
    this.#blockers.set(drive, task);
    const blocked = this.#blocked.get(task);
    if (blocked === undefined) this.#blocked.set(task, new Set([drive]));
    else blocked.add(drive);
  }

  settled(task: Id): void {
    for (const drive of this.#blocked.get(task) ?? []) this.#unanswered.add(drive);
  }

  askAll(): void {
    for (const drive of this.#blockers.keys()) this.#unanswered.add(drive);
  }

  /** Those that are to be asked whether they are over. */
  take(): readonly Drive[] {
    const taken = [...this.#unanswered];
    this.#unanswered.clear();
    return taken;
  }

  /** Ends all of them. */
  end(outcome: 'closed' | Error): void {
    for (const drive of this.#blockers.keys()) {
      if (outcome instanceof Error) drive.reject(outcome);
      else drive.resolve(outcome);
    }
  }

  #unblock(drive: Drive): void {
    const task = this.#blockers.get(drive);
    const blocked = task === undefined ? undefined : this.#blocked.get(task);
    if (task === undefined || blocked === undefined) return;
    blocked.delete(drive);
    if (blocked.size === 0) this.#blocked.delete(task);
  }
}
