/** Refs of a store, written as git keeps them: a file each, whole or not at all. Only of plain stores, whose only writer is Loom. */
import fs from 'node:fs';
import path from 'node:path';
import type { SnapshotStore } from './snapshot-store.ts';

export function setRef(store: SnapshotStore, name: string, id: string): void {
  write(store, name, id);
}

/** A commit; null: none, as in a repository without one. */
export function setHead(store: SnapshotStore, id: string | null): void {
  write(store, 'HEAD', id ?? 'ref: refs/heads/main');
}

function write({ folder }: SnapshotStore, name: string, line: string): void {
  // Not beside its place: there a killed run would leave a name that git takes for a ref or a lock.
  const temporary = path.join(folder, 'loom-ref.new');
  const file = path.join(folder, ...name.split('/'));
  fs.writeFileSync(temporary, `${line}\n`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.renameSync(temporary, file);
}
