/** What is nested too deep to be read back is refused when it is written. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sessionValue } from '../address.ts';
import { Engine } from '../engine.ts';
import type { Json } from '../records.ts';
import { entryKinds, taskKinds } from '../testing/kinds.ts';
import { tempFolder } from '../testing/session.ts';
import { checkNesting, deepest } from './nesting.ts';
import { JsonlStorage } from './storage.ts';

function nested(levels: number): Json {
  let value: Json = 'x'.repeat(20);
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { deeper: value };
  return value;
}

test('what is nested too deep is refused, and the file opens with all the rest [7.4-15]', async () => {
  const file = path.join(tempFolder(onTestFinished), 'session.jsonl');
  const engine = await Engine.open(JsonlStorage.open(file), { entryKinds, taskKinds });
  const value = engine.value(sessionValue<Json>('v'));
  await value.set(nested(deepest));
  const bytes = fs.statSync(file).size;
  await expect(value.set(nested(deepest + 1))).rejects.toMatchObject({ code: 'malformed' });
  expect(fs.statSync(file).size).toBe(bytes);
  await engine.close();
  const again = await Engine.open(JsonlStorage.open(file), { entryKinds, taskKinds });
  expect(JSON.stringify(again.value(sessionValue<Json>('v')).get())).toBe(JSON.stringify(nested(deepest)));
});

test('brackets in strings are no levels', () => {
  const text = JSON.stringify([`${'[{"'.repeat(deepest)}\\`, '}'.repeat(deepest), 1]);
  expect(() => checkNesting(text)).not.toThrow();
});
