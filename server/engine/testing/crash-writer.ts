/**
 * A process that commits until it is killed: batches of 1 to 40 entries with a value and a row of another table beside them,
 * and a line on standard output after each. Argument: the file.
 */
import { sessionValue } from '../address.ts';
import { Engine } from '../engine.ts';
import { SqliteStore } from '../sqlite/store.ts';
import { entryKinds, note, taskKinds } from './kinds.ts';
import { openFile } from './session.ts';

const db = openFile(process.argv[2] ?? '');
db.exec('CREATE TABLE IF NOT EXISTS beside (batch INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT');
const engine = await Engine.open(new SqliteStore(db).session('session'), { entryKinds, taskKinds });
const root = (await engine.root()).id;
const batches = sessionValue<number>('batches');
const insert = db.prepare<[number, number]>('INSERT INTO beside (batch, entries) VALUES (?, ?)');
for (;;) {
  const batch = (engine.value(batches) ?? 0) + 1;
  const entries = 1 + ((batch * 7) % 40);
  await engine.commit(
    (tx) => {
      tx.value(batches).set(batch);
      for (let i = 0; i < entries; i++) tx.entry(note, root, { text: `${batch}:${i} ${'x'.repeat((batch * i) % 500)}` });
    },
    { within: () => void insert.run(batch, entries) },
  );
  process.stdout.write(`${batch}\n`);
}
