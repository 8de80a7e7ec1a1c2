/** Between which snapshots a turn lies, what its records say it did, and whose each change is: pure, by made rows and entries. */
import { expect, test } from 'vitest';
import type { SnapshotCause, SnapshotRow } from '../../server/ledger/snapshots-table.ts';
import type { FileDiff } from '../../server/world/tree-diff.ts';
import { spanChanges } from '../../server/world/turn-changes.ts';
import { insideOf, turnFacts, withHelpers } from '../../server/world/turn-facts.ts';
import type { TurnFacts } from '../../server/world/turn-facts.ts';
import { spansOf } from '../../server/world/turn-spans.ts';
import type { ActionDetails, LedgerEntry } from '../../shuttles/contract/entry.ts';

/** `cause thread/entry @time =tree`, in order. */
function rows(...lines: readonly string[]): readonly SnapshotRow[] {
  return lines.map((text, index) => {
    const [, cause = '', thread, entry, at = '', tree = '', gone] =
      /^(\w+)(?: (\d+)\/(\d+))? @(\d+) =(\w+)( pruned)?$/u.exec(text) ?? [];
    return {
      number: index + 1,
      worktree: 1,
      at: Number(at),
      cause: cause as SnapshotCause,
      thread: thread === undefined ? null : Number(thread),
      conversation: thread === undefined ? null : 1,
      entry: entry === undefined ? null : Number(entry),
      tree,
      head: null,
      branch: null,
      left_out: '[]',
      left_out_total: 0,
      pruned: gone === undefined ? 0 : 1,
    };
  });
}
const began =
  (times: Readonly<Record<number, number>>) =>
  (entry: number): TurnFacts | undefined => ({ ...facts(), entry, began: times[entry] ?? null });
function facts(): TurnFacts {
  const nothing = { began: null, edited: new Set<string>(), ran: false, helped: false };
  return { entry: 1, harness: 'claude', at: 0, last: 1, until: null, closed: true, ...nothing };
}
function told(all: readonly SnapshotRow[], thread: number, times: Readonly<Record<number, number>> = {}): readonly string[] {
  const { spans, untold } = spansOf(all, thread, began(times));
  return [
    ...spans.map(
      ({ entry, before, after, late, beside }) =>
        `${entry ?? 'between'}: ${before.number}-${after.number}${late ? ' late' : ''}${beside.map((one) => ` beside ${one.thread}/${one.entry}`).join('')}`,
    ),
    ...(untold === 0 ? [] : [`untold ${untold}`]),
  ];
}

test('a turn lies between the snapshots of its start and of its end, and what changed between two turns between those', () => {
  const all = rows(
    'turnStart 1/10 @100 =a',
    'turnEnd 1/10 @200 =b',
    'turnEnd 1/10 @210 =c',
    'turnStart 1/20 @300 =d',
    'turnEnd 1/20 @400 =e',
    'turnStart 1/30 @500 =e',
  );
  // The last one goes on.
  expect(told(all, 1, { 10: 150, 20: 350 })).toEqual(['10: 1-3', 'between: 3-4', '20: 4-5']);
});

test('a start that was taken after the first action counts as late: the newest snapshot from before that action stands for it', () => {
  const all = rows('turnEnd 2/5 @50 =z', 'asked @80 =y', 'turnStart 1/10 @130 =a', 'turnEnd 1/10 @200 =b');
  expect(told(all, 1, { 10: 120 })).toEqual(['10: 2-4 late']);
  expect(told(all, 1, { 10: 60 })).toEqual(['10: 1-4 late']);
  expect(told(all, 1, { 10: 20 })).toEqual(['untold 1']);
  expect(told(rows('turnEnd 1/10 @50 =z'), 1)).toEqual(['untold 1']);
});

test('a turn that nobody saw the end of lies until the next one begins', () => {
  const all = rows('turnStart 1/10 @100 =a', 'turnStart 1/20 @300 =d', 'turnEnd 1/20 @400 =e');
  expect(told(all, 1, { 10: 150, 20: 350 })).toEqual(['10: 1-2', '20: 2-3']);
});

test('turns of other threads that overlap are named, those that only touch are not', () => {
  const all = rows(
    'turnStart 2/7 @50 =a',
    'turnEnd 2/7 @100 =b',
    'turnStart 1/10 @100 =b',
    'turnStart 2/8 @150 =c',
    'turnEnd 1/10 @200 =d',
    'turnEnd 2/8 @250 =e',
    'turnStart 1/20 @300 =f',
    'turnEnd 1/20 @400 =g',
  );
  expect(told(all, 1)).toEqual(['10: 3-5 beside 2/8', 'between: 5-7 beside 2/8', '20: 7-8']);
});

test('turns whose snapshots were dropped are counted, and do not stop the others', () => {
  const all = rows(
    'turnStart 1/10 @100 =a pruned',
    'turnEnd 1/10 @200 =b pruned',
    'turnStart 1/20 @300 =d',
    'turnEnd 1/20 @400 =e',
  );
  expect(told(all, 1)).toEqual(['20: 3-4', 'untold 1']);
});

const folders = { root: '/real/shop', cwd: '/link/shop/sub', realCwd: '/real/shop/sub' };

function made(kind: LedgerEntry['kind'], id: number, content: object): LedgerEntry {
  const provenance = { harness: 'claude', source: 1, offset: 0, length: 0, translator: 1, trust: 'user' };
  return { id, conversationId: 1, kind, content: { at: id * 10, provenance, ...content } } as unknown as LedgerEntry;
}
const prompt = (id: number): LedgerEntry => made('user', id, { content: [], origin: 'typed' });
const calls = (id: number, ...names: readonly string[]): LedgerEntry =>
  made('assistant', id, { content: names.map((name) => ({ type: 'toolCall', id: name, name: 'x', arguments: {} })) });
const result = (id: number, name: string, details: ActionDetails): LedgerEntry =>
  made('tool_result', id, { toolCallId: name, content: [], isError: false, details });
const edits = (...names: readonly string[]): ActionDetails => ({
  action: 'edit',
  files: names.map((name) => ({ path: name, change: 'update', added: 1, removed: 0 })),
});

test('what a turn edited and ran, and when it first did something, is read from its own entries alone', () => {
  const read = turnFacts(
    [
      prompt(1),
      calls(2, 'look'),
      result(3, 'look', { action: 'read' }),
      calls(4, 'edit', 'failed', 'denied'),
      result(5, 'edit', edits('/real/shop/a.txt', '/link/shop/sub/b.txt', 'c.txt', '/elsewhere/d.txt')),
      result(6, 'failed', { ...edits('e.txt'), status: 'failed' }),
      result(7, 'denied', { action: 'command', status: 'denied' }),
      prompt(8),
      calls(9, 'next'),
      result(10, 'next', { action: 'command' }),
    ],
    folders,
  );
  expect(read).toEqual({
    entry: 1,
    harness: 'claude',
    at: 10,
    began: 40,
    edited: new Set(['a.txt', 'sub/b.txt', 'sub/c.txt']),
    ran: false,
    helped: false,
    last: 7,
    until: 70,
    closed: true,
  });
});

test('a call without a result, a command, a step and a subagent may all have changed something', () => {
  const open = turnFacts([prompt(1), calls(2, 'never')], folders);
  expect(open).toMatchObject({ ran: true, began: 20, last: 2, closed: false });
  const step = turnFacts(
    [prompt(1), made('step', 9, { title: '', isError: false, details: { action: 'command', durationMs: 25 } })],
    folders,
  );
  expect(step).toMatchObject({ ran: true, began: 65 });
  const started = turnFacts([prompt(1), calls(2, 'agent'), result(8, 'agent', { action: 'agent' })], folders);
  if (started === undefined) throw new Error('a turn');
  expect(started).toMatchObject({ helped: true, ran: true });
  const helped = withHelpers(
    { ...started, began: 50 },
    [calls(3, 'x'), result(4, 'x', edits('h.txt')), result(90, 'y', edits('late.txt'))],
    folders,
  );
  expect(helped).toMatchObject({ began: 30, edited: new Set(['sub/h.txt']) });
});

test('a path of a record is one inside of the worktree, or none', () => {
  expect(insideOf('/real/shop/x/../y', folders)).toBe('y');
  expect(insideOf('../z', folders)).toBe('z');
  expect(insideOf('/link/shop/..odd', folders)).toBe('..odd');
  expect(insideOf('../../z', folders)).toBeUndefined();
  expect(insideOf('/real/shopping/y', folders)).toBeUndefined();
  expect(insideOf('f', folders, '/real/shop/deep')).toBe('deep/f');
});

test('a change is the tools that reported it, the commands when any ran, nobody of the thread otherwise, and unclear beside others', () => {
  const diff = (raw: string): FileDiff => ({
    raw,
    before: { object: '1', mode: 'file' },
    after: { object: '2', mode: 'file' },
    added: 2,
    removed: null,
  });
  const [before, after] = rows('turnStart 1/1 @1 =a', 'turnEnd 1/1 @2 =b');
  if (before === undefined || after === undefined) throw new Error('rows');
  const whose = (
    own: Partial<TurnFacts>,
    others: readonly Partial<TurnFacts>[] = [],
    span: { readonly late?: boolean; readonly entry?: null } = {},
  ): string => {
    const { files, filesTotal, added, removed } = spanChanges(
      { entry: 1, conversation: 1, before, after, late: false, beside: others.map(() => ({ thread: 2, entry: 5 })), ...span },
      [diff('edited'), diff('other')],
      { ...facts(), ...own },
      others.map((one) => ({ ...facts(), ...one })),
    );
    expect([filesTotal, added, removed]).toEqual([2, 4, 0]);
    return files.map(({ path, by }) => `${path} ${by}`).join(', ');
  };
  const edited = new Set(['edited']);
  expect(whose({ edited })).toBe('edited tool, other between');
  expect(whose({ edited, ran: true })).toBe('edited tool, other command');
  expect(whose({ edited, ran: true }, [], { late: true })).toBe('edited tool, other unclear');
  expect(whose({ edited, ran: true }, [], { entry: null })).toBe('edited between, other between');
  expect(whose({ edited, ran: true }, [{ edited: new Set(['other']) }])).toBe('edited tool, other unclear');
  expect(whose({ edited }, [{ edited: new Set(['other']) }])).toBe('edited tool, other between');
  expect(whose({ edited, ran: true }, [{ edited, ran: true }])).toBe('edited unclear, other unclear');
});
