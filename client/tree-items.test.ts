import { expect, test } from 'vitest';
import type { ThreadsView } from '../server/protocol/views.ts';
import { sampleThread } from './sample-thread.ts';
import { placeNodes, threadNode, treeNodes, waitingCount } from './tree-items.ts';

const now = new Date(2026, 8, 10, 12, 0, 0);
const at = now.getTime();
const view = (over: Partial<ThreadsView>): ThreadsView => ({
  kind: 'threads',
  threads: [],
  importing: null,
  harnesses: [],
  faults: [],
  readAt: 0,
  ...over,
});

test('a working thread says so in a sign and in words', () => {
  const node = threadNode(sampleThread({ live: true, state: 'working', updatedAt: at - 12_000 }), at);
  expect(node.label).toBe('● Fix double charge race');
  expect(node.description).toBe('working · 12 s · Claude Code');
  expect(node.spoken).toBe('Fix double charge race, Claude Code, 12 s, working');
});

test('a thread that waits for the person has another sign than one that works, and one that is merely open', () => {
  const sign = (state: 'waiting' | 'idle' | 'unknown'): string | undefined =>
    threadNode(sampleThread({ live: true, state }), at).label[0];
  expect([sign('waiting'), sign('idle'), sign('unknown')]).toEqual(['◐', '○', '○']);
});

test('a thread that moved names both harnesses in the order of the move', () => {
  const native = [
    { harness: 'codex' as const, id: 'x', path: '/x' },
    { harness: 'claude' as const, id: 'c', path: '/c' },
  ];
  const node = threadNode(sampleThread({ harness: 'codex', native, turns: 31, updatedAt: at - 4 * 3_600_000 }), at);
  expect(node.label).toBe('Fix double charge race  ⇄');
  expect(node.description).toBe('4 h · 31 turns · Claude Code → Codex');
  expect(node.icon).toBe('codex');
});

test('a thread without a turn counts none', () => {
  expect(threadNode(sampleThread({ turns: 0, updatedAt: at - 4 * 3_600_000 }), at).description).toBe('4 h · Claude Code');
});

test('a thread of which only the beginning was read says so, and counts nothing yet', () => {
  const node = threadNode(sampleThread({ reading: true, updatedAt: at - 4 * 3_600_000 }), at);
  expect(node.description).toBe('4 h · being read · Claude Code');
  expect(node.spoken).toContain('being read');
  expect(node.tooltip).toContain('is being read');
});

test('titles, branches and folders of a transcript stay plain text', () => {
  const evil = '"><img src=x onerror=1> $(trash) [x](command:quit)\n\u202E';
  const node = threadNode(sampleThread({ title: evil, branch: evil, cwd: evil, model: evil, importedFrom: evil }), at);
  expect(node.label).not.toMatch(/\n|\u202E|\$\(|\]\(/u);
  expect(node.tooltip).not.toMatch(/\u202E/u);
  expect(threadNode(sampleThread({ title: ' \n ' }), at).label).toBe('Untitled thread');
});

test('a thread that its files do not tell whole says so in its row and, in a sentence, beside it', () => {
  const node = (fidelity: 'transcript' | 'truncated' | 'artifacts' | 'listed'): ReturnType<typeof threadNode> =>
    threadNode(sampleThread({ harness: 'antigravity', native: [], turns: 2, updatedAt: at - 60_000, fidelity }), at);
  expect(node('listed').description).toBe('1 min · 2 turns · not readable · Antigravity');
  expect(node('artifacts').description).toContain('artifacts only');
  expect(node('transcript').description).toBe('1 min · 2 turns · Antigravity');
  expect(node('transcript').tooltip).toContain('Read from a transcript: tokens and some details are missing');
  expect(node('truncated').tooltip).toContain('long texts are cut');
  expect(threadNode(sampleThread({}), at).tooltip).not.toContain('Read from');
});

test('the menu offers only what is there', () => {
  const context = (over: Parameters<typeof sampleThread>[0]): string => threadNode(sampleThread(over), at).context;
  expect(context({})).toBe('thread folder file');
  expect(context({ cwd: '' })).toBe('thread file');
  expect(context({ sourceGone: true })).toBe('thread folder gone');
});

test('a conflict is told by a sign, in words and aloud, and who holds the thread stands beside it', () => {
  const conflict = { harness: 'claude' as const, nativeId: 'n1', conversation: 4, entries: 3, since: at };
  const lease = { epoch: 1, holder: 'codex' as const, since: at - 720_000 };
  const node = threadNode(sampleThread({ harness: 'codex', updatedAt: at - 60_000, conflict, lease }), at);
  expect(node.label).toBe('⚠ Fix double charge race  ⇄');
  expect(node.description).toContain('conflict');
  expect(node.spoken).toContain('Claude Code went on in its old session: 3 entries');
  expect(node.tooltip).toContain('Codex holds it since a hand-over 12 min ago');
  expect(node.context).toBe('thread folder file conflict');
});

test('a thread whose newest turn was stopped says why', () => {
  const stopped = { reason: 'limit' as const, text: 'You have hit your limit', resetsAt: null };
  const node = threadNode(sampleThread({ updatedAt: at - 60_000, stopped }), at);
  expect(node.description).toBe('1 min · 14 turns · stopped at a limit · Claude Code');
  expect(node.tooltip).toContain('Stopped: You have hit your limit');
});

test('the list shows faults, then groups with the number of what is shown', () => {
  const threads = [sampleThread({ updatedAt: at }), sampleThread({ id: 't2', cwd: '/elsewhere', updatedAt: at })];
  const faults = [{ id: 'L004', message: 'The disk is full.', fix: 'Free some space.' }];
  const nodes = treeNodes(view({ threads, faults }), {
    grouping: 'time',
    shows: (thread) => thread.cwd === '/home/user/shop',
    now,
    locale: 'en',
  });
  expect(nodes.map((node) => `${node.kind} ${node.label} ${node.description}`)).toEqual([
    'line The disk is full. L004',
    'group Today 1',
  ]);
});

test('ids of rows are unique also when one thread is in view twice over two groupings', () => {
  const nodes = treeNodes(view({ threads: [sampleThread(), sampleThread({ id: 't2', live: true })] }), {
    grouping: 'harness',
    shows: () => true,
    now,
    locale: 'en',
  });
  const ids = nodes.flatMap((node) => (node.kind === 'group' ? [node.id, ...node.children.map((child) => child.id)] : [node.id]));
  expect(new Set(ids).size).toBe(ids.length);
});

test('only live threads count as waiting', () => {
  const threads = [
    sampleThread({ live: true, state: 'waiting' }),
    sampleThread({ id: 't2', live: false, state: 'waiting' }),
    sampleThread({ id: 't3', live: true, state: 'working' }),
  ];
  expect(waitingCount(view({ threads }))).toBe(1);
});

test('each folder that was looked at is named, and whether it is there', () => {
  const roots = [
    { path: '/home/user/.codex/sessions', exists: true },
    { path: '/home/user/.codex/archived_sessions', exists: false },
  ];
  const lines = placeNodes([
    {
      harness: 'codex',
      roots,
      installed: null,
      canReceive: false,
      reason: null,
      modes: [],
      version: null,
      verified: [],
      losses: [],
    },
  ]);
  expect(lines.map((line) => line.description)).toEqual([
    '/home/user/.codex/sessions',
    '/home/user/.codex/archived_sessions · not there',
  ]);
});

test('a thread says what its turns did to files, and its menu then offers to show it', () => {
  const changed = sampleThread({ turns: 14, updatedAt: at - 2 * 3_600_000, changes: { files: 7, added: 120, removed: 31 } });
  const node = threadNode(changed, at);
  expect(node.description).toBe('2 h · 14 turns · +120 −31 · Claude Code');
  expect(node.tooltip).toContain('Changed: 7 files +120 −31');
  expect(node.context).toMatch(/ changes$/u);
  expect(threadNode(sampleThread({ changes: { files: 0, added: 0, removed: 0 } }), at).context).not.toContain('changes');
});
