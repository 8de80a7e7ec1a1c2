/** Public reports of faults in programs that read pi's files, as small homes: what `case.json` says must hold. Each test names its case. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { portableMessages } from '../../server/drive/portable.ts';
import { allEntries, contextOf } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { cases, HomeLedger } from '../home-ledger.ts';

function caseOf(name: string): { readonly home: string; readonly check: Readonly<Record<string, unknown>> } {
  const folder = path.join(cases, name);
  const { check } = JSON.parse(readFileSync(path.join(folder, 'case.json'), 'utf8')) as { check: Readonly<Record<string, unknown>> };
  return { home: path.join(folder, 'home'), check };
}

/** The list's rows of pi. */
function threads(home: HomeLedger): readonly ThreadRow[] {
  return home.ledger.threads.newest(100).filter((row) => row.harness === 'pi' && row.child === 0);
}

/** Every file below the folder, with what a write would change of it. */
function filesIn(folder: string): readonly (readonly [string, string, number])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, readFileSync(file, 'utf8'), statSync(file).mtimeMs] as const);
}

test('65: a header is found behind a title, and missed without harm: name and neighbours tell the id and the folder', async () => {
  const { home: folder, check } = caseOf('65-pi-header');
  const before = filesIn(folder);
  await using home = new HomeLedger(folder);
  await home.catchUp();
  expect(home.faults).toEqual([]);
  expect(threads(home)).toHaveLength(check['sessions'] as number);
  const rows = new Map(threads(home).map((row) => [row.title, row]));
  expect([...rows.keys()].toSorted()).toEqual([
    'Auto title',
    'Header is missing.',
    'Header line is broken.',
    'Version one, linear, no ids.',
  ]);
  for (const row of rows.values()) {
    expect(row).toMatchObject({ cwd: '/srv/demo/harbor-app', turns: 1, usage_input: 20, usage_output: 30, last_turn: 'completed' });
    // Every id is in the file's name.
    const [native] = home.ledger.natives.byThread(row.number);
    expect(path.basename(native?.path ?? '')).toContain(native?.native_id);
    const context = await contextOf(home.ledger, row.session, row.current_conversation);
    expect(context.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
  }
  // The empty file is no session; it is looked at again when something is written to it.
  expect(home.ledger.sources.all().filter(({ status }) => status === 'ignored')).toHaveLength(check['emptyFiles'] as number);
  expect(filesIn(folder)).toEqual(before);
});

test('45: results are paired with their calls by id, whatever their order', async () => {
  const { home: folder, check } = caseOf('45-parallel-results');
  await using home = new HomeLedger(folder);
  await home.catchUp();
  const [row] = threads(home);
  const entries = await allEntries(home.ledger, row?.session ?? '', row?.current_conversation ?? 0);
  const pairs = check['pairs'] as Readonly<Record<string, string>>;
  const results = entries.flatMap((entry) =>
    entry.kind === 'tool_result' ? [[entry.content.toolCallId, entry.content.content, entry.content.details?.command] as const] : [],
  );
  expect(results).toHaveLength(2);
  for (const [id, content, command] of results) {
    expect(content).toEqual([{ type: 'text', text: pairs[id] }]);
    expect(command).toBe(id === 'call_1' ? 'a' : 'b');
  }
  const context = await contextOf(home.ledger, row?.session ?? '', row?.current_conversation ?? 0);
  expect(context.flatMap(({ message }) => (message.role === 'toolResult' ? [message.toolCallId] : []))).toEqual(['call_1', 'call_2']);
});

test('32: thoughts of another model, and unsigned ones, are shown and never carried', async () => {
  const { home: folder } = caseOf('32-foreign-thinking');
  await using home = new HomeLedger(folder);
  await home.catchUp();
  const [row] = threads(home);
  const context = await contextOf(home.ledger, row?.session ?? '', row?.current_conversation ?? 0);
  expect(JSON.stringify(context)).toContain('foreign thoughts');
  const carried = JSON.stringify(portableMessages(context));
  expect(carried).toContain('Solved by model X.');
  for (const word of ['foreign thoughts', 'unsigned', 'reasoning_content']) expect(carried).not.toContain(word);
});
