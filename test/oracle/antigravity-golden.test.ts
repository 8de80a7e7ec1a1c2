/** A store, a transcript and an artifact, and what the reader makes of them: test/golden/antigravity. UPDATE_GOLDENS=1 rewrites them. */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Held, Tables } from '../../shuttles/contract/container.ts';
import type { NativeRecord, Sidecars } from '../../shuttles/contract/read.ts';
import { antigravityReader } from '../../shuttles/antigravity/read/reader.ts';
import { antigravityContainer } from '../../shuttles/antigravity/store/container.ts';
import { RecordCutter } from '../../shuttles/kit/records.ts';
import { fixtures } from '../home-ledger.ts';

const root = path.join(fixtures, 'antigravity/home/.gemini/antigravity-cli');
const shown = '/home/user/.gemini/antigravity-cli';
const id = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const sidecars: Sidecars = {
  text: (file) => fs.readFileSync(file.replace(shown, root), 'utf8'),
  list: () => [],
};

function heldRecords(relative: string): readonly (readonly [string, readonly NativeRecord[]])[] {
  const file = path.join(root, relative);
  const at = path.posix.join(shown, relative);
  const form = antigravityContainer.formOf?.(relative);
  const read = (held: Held): readonly (readonly [string, readonly NativeRecord[]])[] => {
    const listed = antigravityContainer.sessions(held, sidecars);
    if ('refused' in listed) throw new Error(listed.refused);
    return listed.sessions.map(({ name }) => [`${at}#${name}`, [...antigravityContainer.records(held, name, 0, sidecars)]]);
  };
  if (form === 'document') return read({ form, path: at, text: fs.readFileSync(file, 'utf8') });
  const db = new Sqlite(fs.readFileSync(file));
  const tables: Tables = { all: (sql, ...parameters) => db.prepare(sql).all(...parameters) as Record<string, unknown>[] };
  const records = read({ form: 'database', path: at, tables });
  db.close();
  return records;
}

function lineRecords(relative: string): readonly (readonly [string, readonly NativeRecord[]])[] {
  return [[path.posix.join(shown, relative), new RecordCutter().feed(fs.readFileSync(path.join(root, relative)))]];
}

const chosen = {
  store: heldRecords(`conversations/${id}.db`),
  index: heldRecords('conversation_summaries.db'),
  transcript: lineRecords(`brain/${id}/.system_generated/logs/transcript_full.jsonl`),
  artifacts: ['task.md', 'implementation_plan.md', 'walkthrough.md'].flatMap((name) => heldRecords(`brain/${id}/${name}`)),
};

test.each(Object.entries(chosen))('%s reads as its golden file says', (name, sessions) => {
  const lines = sessions.flatMap(([file, records]) => {
    const identity = antigravityReader.identify(file, records, sidecars);
    if (identity === undefined) throw new Error(`no session: ${file}`);
    return [identity, ...antigravityReader.read(antigravityReader.start(identity, file), records).outputs];
  });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const golden = path.join(fixtures, `../golden/antigravity/${name}.jsonl`);
  if (process.env['UPDATE_GOLDENS'] === '1') fs.writeFileSync(golden, text);
  expect(text.split('\n')).toEqual(fs.readFileSync(golden, 'utf8').split('\n'));
});
