/** A scratch commit under construction: the value and list half of a commit, bound to one task's scratch (engine specification 4.6). */
import { bound } from './address.ts';
import type { ScratchList, ScratchValue } from './address.ts';
import { Rejected } from './errors.ts';
import { stored } from './kinds.ts';
import type { Id, List, StateWrite, Value } from './records.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';
import type { ListAccess, ValueAccess } from './tx.ts';

export class ScratchTx {
  readonly #storage: Storage;
  readonly #task: Id;
  readonly #first: Id;
  readonly #writes: StateWrite[] = [];
  #finished = false;

  constructor(storage: Storage, task: Id) {
    this.#storage = storage;
    this.#task = task;
    this.#first = storage.lastSeq + 1;
  }

  value<T>(of: Value<T> | ScratchValue<T>): ValueAccess<T> {
    const addr = bound(of, this.#task);
    return {
      get: (at) => this.#storage.getValue(addr, at)?.value,
      set: (value) => void this.#push({ type: 'value.set', addr, value: stored(value) }),
      delete: () => void this.#push({ type: 'value.delete', addr }),
    };
  }

  list<T>(of: List<T> | ScratchList<T>): ListAccess<T> {
    const addr = bound(of, this.#task);
    return {
      append: (value) => this.#push({ type: 'list.append', addr, value: stored(value) }),
      remove: (element) => void this.#push({ type: 'list.remove', addr, element }),
      clear: () => void this.#push({ type: 'list.clear', addr }),
      read: (query) => this.#storage.readList(addr, { limit: end, ...query }),
    };
  }

  /** Ends the construction and hands over the writes. */
  finish(): readonly StateWrite[] {
    this.#finished = true;
    return this.#writes;
  }

  #push(write: StateWrite): Id {
    if (this.#finished) throw new Rejected('finished', 'the closure of this commit has returned');
    return this.#first + this.#writes.push(write) - 1;
  }
}
