/**
 * A process that commits entries, some of them with packs, and packs others, until it is killed; in SQLite, in the file that is its argument. A
 * line on standard output behind each commit and each packing: the newest entry that was acknowledged.
 */
import fs from 'node:fs';
import type { Entry, MainWrite } from '../records.ts';
import { SqliteStore } from '../sqlite/store.ts';
import { entryPack } from './packing.ts';
import { openFile } from './session.ts';

export const entryAt = (id: number): Entry => ({
  id,
  conversationId: 1 + (id % 2),
  kind: 'note',
  content: { text: `entry ${id} ${'x'.repeat((id * 13) % 400)}` },
  ...(id % 3 === 0 ? { key: `key ${id}` } : {}),
});

if (import.meta.main) await write(process.argv[2] ?? '');

async function write(file: string): Promise<void> {
  const db = openFile(file);
  const store = new SqliteStore(db);
  const storage = store.session('session');
  if (storage.lastSeq === 0) {
    const create = [1, 2].map((id): MainWrite => ({ type: 'createConversation', conversation: { id } }));
    await storage.commit({ kind: 'main', writes: create });
  }
  for (;;) {
    const first = storage.lastSeq + 1;
    const entries = Array.from({ length: 1 + ((first * 7) % 90) }, (_, i) => entryAt(first + i));
    const own = entries.filter(({ conversationId }) => conversationId === 1).slice(0, 64);
    const packs = first % 3 === 0 && own.length > 0 ? [entryPack(own)] : [];
    const writes = entries.map((entry): MainWrite => ({ type: 'entry', entry }));
    await storage.commit({ kind: 'main', writes }, undefined, packs);
    fs.writeSync(1, `${storage.lastSeq}\n`);
    store.pack('session', { most: 1 + (first % 150), fewest: 1 + (first % 9) });
    fs.writeSync(1, `${storage.lastSeq}\n`);
  }
}
