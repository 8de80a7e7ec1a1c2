/**
 * Storage versions and the steps between them (engine specification 6.5). A version says what stored records mean; a program that
 * changes that ships a step, which maps each record by itself. Backends run steps before a session is opened, all of it or nothing.
 */
import { Rejected } from './errors.ts';
import type { Address, Entry, Json, Task } from './records.ts';

/** What this engine writes when its host does not say otherwise. */
export const currentVersion = '1';

/**
 * Each map gives what is stored instead; absent: as it is. Ids, conversations, keys, roles and addresses stay what they are. In a log of
 * batches a task's kind is mapped where the task is created, its status and state wherever they change.
 */
export interface Migration {
  readonly from: string;
  readonly to: string;
  entry?(entry: Entry): Pick<Entry, 'kind' | 'content'>;
  task?(task: MigratedTask): Omit<MigratedTask, 'id'>;
  value?(addr: Address, value: Json): Json;
  element?(addr: Address, value: Json): Json;
}
export type MigratedTask = Pick<Task, 'id' | 'kind' | 'status' | 'state'>;

/** Throws Rejected `storageVersion`. */
export function checkVersion(found: string | undefined, known: string): void {
  if (found !== known)
    throw new Rejected('storageVersion', `the session has storage version ${found ?? 'none'}, this program knows ${known}`);
}

/** The maps of several steps, one after the other. */
export class MigrationPath {
  readonly to: string;
  readonly #steps: readonly Migration[];

  /** Throws Rejected `storageVersion` when the steps do not lead from the one version to the other, or the session has another one. */
  constructor(migrations: readonly Migration[], from: string, to: string, found: string | undefined) {
    checkVersion(found, from);
    const steps: Migration[] = [];
    for (let version = from; version !== to; version = steps.at(-1)?.to ?? to) {
      const step = migrations.find((migration) => migration.from === version && !steps.includes(migration));
      if (step === undefined)
        throw new Rejected('storageVersion', `no step leads on from storage version ${version} between ${from} and ${to}`);
      steps.push(step);
    }
    this.to = to;
    this.#steps = steps;
  }

  /** Whether any step maps records of that sort. */
  maps(sort: 'entry' | 'task' | 'value' | 'element'): boolean {
    return this.#steps.some((step) => step[sort] !== undefined);
  }

  entry(entry: Entry): Entry {
    return this.#steps.reduce((mapped, step) => ({ ...mapped, ...step.entry?.(mapped) }), entry);
  }

  task(task: MigratedTask): MigratedTask {
    return this.#steps.reduce((mapped, step) => ({ ...mapped, ...step.task?.(mapped) }), task);
  }

  value(addr: Address, value: Json): Json {
    return this.#steps.reduce((mapped, step) => (step.value === undefined ? mapped : step.value(addr, mapped)), value);
  }

  element(addr: Address, value: Json): Json {
    return this.#steps.reduce((mapped, step) => (step.element === undefined ? mapped : step.element(addr, mapped)), value);
  }
}
