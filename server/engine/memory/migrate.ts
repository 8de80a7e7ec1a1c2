/** A session in memory brought to another storage version (engine specification 6.5): everything is mapped first, and replaced when all of it could be. */
import { jsonText } from '../json-text.ts';
import type { MigrationPath } from '../migration.ts';
import { addressAt } from '../place.ts';
import type { Address, Json } from '../records.ts';
import { Entries } from './entries.ts';
import type { MemoryRecords } from './records.ts';
import type { StoredText } from './stored-text.ts';

export function migrateRecords(records: MemoryRecords, path: MigrationPath): void {
  const changes: (() => void)[] = [];
  const texts = (stored: Iterable<StoredText>, isScratch: boolean, map: (addr: Address, value: Json) => Json): void => {
    for (const { place, rewind, text, replace } of stored) {
      const mapped = jsonText(map(addressAt(place, rewind, isScratch), JSON.parse(text) as Json));
      changes.push(() => replace(mapped));
    }
  };
  if (path.maps('value'))
    for (const [values, isScratch] of [[records.values, false] as const, [records.scratchValues, true] as const])
      texts(values.texts(), isScratch, (addr, value) => path.value(addr, value));
  if (path.maps('element'))
    for (const [lists, isScratch] of [[records.lists, false] as const, [records.scratchLists, true] as const])
      texts(lists.texts(), isScratch, (addr, value) => path.element(addr, value));
  if (path.maps('task'))
    for (const { id, kind, status, text } of records.tasks.all) {
      const { state, ...mapped } = path.task({ id, kind, status, state: JSON.parse(text) as Json });
      const change = { kind: mapped.kind, status: mapped.status, text: jsonText(state) };
      changes.push(() => records.tasks.change(id, change));
    }
  if (path.maps('entry')) {
    const entries = new Entries();
    for (const entry of records.entries.byIds([...records.entries.ids])) {
      const { content, ...header } = path.entry(entry);
      entries.add(header, jsonText(content));
    }
    changes.push(() => void (records.entries = entries));
  }
  for (const change of changes) change();
  records.version = path.to;
}
