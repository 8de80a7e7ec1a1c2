/** Two writers of one session file: that must not be, and when it is, what the other one was told is durable is never thrown away. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sessionValue } from '../address.ts';
import { UncertainPersistence } from '../errors.ts';
import type { CommitBatch } from '../records.ts';
import { tempFolder } from '../testing/session.ts';
import { JsonlStorage } from './storage.ts';

const set = (value: number): CommitBatch => ({ kind: 'main', writes: [{ type: 'value.set', addr: sessionValue('n'), value }] });
const sessionFile = (): string => path.join(tempFolder(onTestFinished), 'session.jsonl');
const valueIn = (file: string): unknown => JsonlStorage.open(file).getValue(sessionValue('n'))?.value;

test('a handle that has not written yet keeps what another one appended since it was opened [7.4-6] [7.4-12] [7.4-14]', async () => {
  const file = sessionFile();
  const [early, writer] = [JsonlStorage.open(file), JsonlStorage.open(file)];
  for (let value = 1; value <= 3; value++) await writer.commit(set(value));
  await expect(early.commit(set(99))).rejects.toBeInstanceOf(UncertainPersistence);
  expect(valueIn(file)).toBe(3);
  const [second, other] = [JsonlStorage.open(file), JsonlStorage.open(file)];
  await other.commit(set(4));
  await expect(second.commit(set(99))).rejects.toBeInstanceOf(UncertainPersistence);
  expect(valueIn(file)).toBe(4);
});

test('a torn line behind what was read still goes, however long it is [7.4-4]', async () => {
  const file = sessionFile();
  await JsonlStorage.open(file).commit(set(1));
  fs.appendFileSync(file, `{"first":2,"writes":[{"type":"value.set","value":"${'x'.repeat(300_000)}`);
  const storage = JsonlStorage.open(file);
  await storage.commit(set(2));
  expect(valueIn(file)).toBe(2);
});

test.each(['removed', 'replaced'])(
  'a file that was %s under its writer is noticed before the next append [7.4-12]',
  async (how) => {
    const file = sessionFile();
    const storage = JsonlStorage.open(file);
    await storage.commit(set(1));
    fs.renameSync(file, `${file}.old`);
    if (how === 'replaced') fs.writeFileSync(file, 'something else entirely');
    await expect(storage.commit(set(2))).rejects.toBeInstanceOf(UncertainPersistence);
    expect(valueIn(`${file}.old`)).toBe(1);
  },
);
