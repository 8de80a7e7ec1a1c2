/** Values and lists outside a commit (engine specification 9.1): reads are of committed state, each write is a commit of its own. */
import type { Element, Id, List, Value, Version } from './records.ts';
import { end } from './storage.ts';
import type { ListQuery, Page, Storage } from './storage.ts';
import type { Tx } from './tx.ts';

export interface StateValue<T> {
  /** `at`: the version in force at that entry, for rewindable addresses. */
  get(at?: Id): T | undefined;
  version(at?: Id): Version<T> | undefined;
  set(value: T): Promise<void>;
  delete(): Promise<void>;
}
export interface StateList<T> {
  read(query?: Partial<ListQuery>): Page<Element<T>>;
  append(value: T): Promise<Id>;
  remove(element: Id): Promise<void>;
  clear(): Promise<void>;
}
export interface StateSource {
  readonly storage: Storage;
  readonly commit: <T>(plan: (tx: Tx) => T) => Promise<T>;
}

export function stateValue<T>({ storage, commit }: StateSource, addr: Value<T>): StateValue<T> {
  return {
    get: (at) => storage.getValue(addr, at)?.value,
    version: (at) => storage.getValue(addr, at),
    set: async (value) => commit((tx) => tx.value(addr).set(value)),
    delete: async () => commit((tx) => tx.value(addr).delete()),
  };
}

export function stateList<T>({ storage, commit }: StateSource, addr: List<T>): StateList<T> {
  return {
    read: (query) => storage.readList(addr, { limit: end, ...query }),
    append: async (value) => commit((tx) => tx.list(addr).append(value)),
    remove: async (element) => commit((tx) => tx.list(addr).remove(element)),
    clear: async () => commit((tx) => tx.list(addr).clear()),
  };
}
