/** Storages around another one: barriers in their commits, and counts of what is read. */
import type { CommitBatch, MainWrite } from '../records.ts';
import type { Storage } from '../storage.ts';
import { Gate } from './gate.ts';

type Committed = Awaited<ReturnType<Storage['commit']>>;

/** Everything goes to `storage`, `commit` by way of `around`. */
export function withCommit(
  storage: Storage,
  around: (batch: CommitBatch, commit: () => Promise<Committed>) => Promise<Committed>,
): Storage {
  return passingOn(storage, (key, call) =>
    key === 'commit'
      ? async (...args: unknown[]) => around(args[0] as CommitBatch, async () => call(...args) as Promise<Committed>)
      : call,
  );
}

/** Commits that a test holds between the line and the disk. */
export class Barrier {
  readonly #held: { readonly isHeld: (batch: CommitBatch) => boolean; readonly gate: Gate }[] = [];
  readonly storage: Storage;

  constructor(storage: Storage) {
    this.storage = withCommit(storage, async (batch, commit) => {
      const at = this.#held.findIndex(({ isHeld }) => isHeld(batch));
      const [held] = at < 0 ? [] : this.#held.splice(at, 1);
      await held?.gate.pass();
      return commit();
    });
  }

  /** The next batch for which that is true waits at the gate; the line waits behind it. */
  hold(isHeld: (batch: CommitBatch) => boolean = () => true): Gate {
    const gate = new Gate();
    this.#held.push({ isHeld, gate });
    return gate;
  }
}

export function writes(test: (write: MainWrite) => boolean): (batch: CommitBatch) => boolean {
  return (batch) => batch.kind === 'main' && batch.writes.some(test);
}

/** Its reads fail with `failure` once there is one. */
export class Breakable {
  failure: Error | undefined;
  readonly storage: Storage;

  constructor(storage: Storage) {
    this.storage = passingOn(storage, (key, call) => (...args: unknown[]) => {
      if (this.failure !== undefined && /^(?:get|scan|read)/u.test(key)) throw this.failure;
      return call(...args);
    });
  }
}

/** How often each method was called, and how many records they gave. */
export class Counting {
  readonly calls = new Map<string, number>();
  records = 0;
  readonly storage: Storage;

  constructor(storage: Storage) {
    this.storage = passingOn(storage, (key, call) => (...args: unknown[]) => {
      this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
      const result = call(...args);
      this.records += recordsOf(result);
      return result;
    });
  }

  get reads(): number {
    return [...this.calls].reduce((sum, [key, count]) => sum + (key === 'commit' ? 0 : count), 0);
  }

  reset(): void {
    this.calls.clear();
    this.records = 0;
  }
}

type Call = (...args: unknown[]) => unknown;

function passingOn(storage: Storage, wrapped: (key: string, call: Call) => Call): Storage {
  return new Proxy(storage, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' && typeof key === 'string' ? wrapped(key, member.bind(target) as Call) : member;
    },
  });
}

function recordsOf(result: unknown): number {
  if (result instanceof Map) return result.size;
  return typeof result === 'object' && result !== null && 'items' in result && Array.isArray(result.items)
    ? result.items.length
    : 0;
}
