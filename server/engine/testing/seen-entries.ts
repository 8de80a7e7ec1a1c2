/** A storage that notes which entries were read with their content, in the order of the reads. */
import type { Entry, Id } from '../records.ts';
import type { Page, Storage } from '../storage.ts';

export class SeenEntries {
  readonly storage: Storage;
  #ids: Id[] = [];

  constructor(storage: Storage) {
    const note = (entries: Iterable<Entry>) => {
      for (const { id } of entries) this.#ids.push(id);
    };
    this.storage = new Proxy(storage, {
      get: (target, key) => {
        if (key === 'getEntries')
          return (ids: readonly Id[]): ReadonlyMap<Id, Entry> => {
            const found = target.getEntries(ids);
            note(found.values());
            return found;
          };
        if (key === 'readEntries')
          return (...query: Parameters<Storage['readEntries']>): Page<Entry> => {
            const page = target.readEntries(...query);
            note(page.items);
            return page;
          };
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }

  /** Those seen since this was last asked. */
  take(): readonly Id[] {
    return this.#ids.splice(0);
  }
}
