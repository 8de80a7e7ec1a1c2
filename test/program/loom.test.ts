/** The program from outside: its contract of names, shapes, streams and exit statuses. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { goesOn } from '../handover/goes-on.ts';
import { copyHome, fixtures } from '../home-ledger.ts';
import { assistantRow, sessionId, TestHome, userRow } from '../ingest/claude-session.ts';

let home = '';
let ledger = '';
let program = '';
beforeAll(() => {
  // The bundle, as people get it: starting from two hundred sources would cost seconds each time.
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bundle-'));
  const root = path.join(import.meta.dirname, '../..');
  const built = spawnSync(process.execPath, [path.join(root, 'esbuild.mjs'), '--quiet', `--out=${out}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  program = path.join(out, 'loom.cjs');
  home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  for (const more of ['claude/03-tui-rewind-rename', 'claude/05-subagents', 'claude/09-forks', 'codex/10-app-server-mixed'])
    fs.cpSync(path.join(fixtures, more), home, { recursive: true });
  ledger = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loom-program-')), 'ledger');
}, 60_000);
afterAll(() => {
  fs.rmSync(path.dirname(program), { recursive: true, force: true });
  fs.rmSync(home, { recursive: true, force: true });
  fs.rmSync(path.dirname(ledger), { recursive: true, force: true });
});

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}
function loom(...args: readonly string[]): Ran {
  const ran = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME: home },
    timeout: 60_000,
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape that it then checks
function json<T>(...args: readonly string[]): T {
  const ran = loom(...args, '--json', '--home', home, '--ledger', ledger);
  expect(ran.err, args.join(' ')).toBe('');
  expect(ran.status).toBe(0);
  return JSON.parse(ran.out) as T;
}

const claudeSession = '6d4156ad-cac4-4341-89eb-59b76b9343d8';
type Thread = Record<string, unknown> & {
  readonly id: string;
  readonly native: readonly { readonly harness: string; readonly id: string; readonly path: string }[];
};

function writeAnswers(to: TestHome, count: number): void {
  const answers = Array.from({ length: count }, (_, i) => assistantRow(i + 2, i + 1, `answer ${i} of many words `.repeat(120)));
  to.write(userRow(1, null, 'one'), ...answers);
}

test('what is damaged in the ledger is told in words, and not as a failure of the program', () => {
  using large = new TestHome();
  writeAnswers(large, 200);
  const folder = path.join(path.dirname(ledger), 'damaged');
  const at = ['--home', large.home, '--ledger', folder];
  expect(loom('ingest', ...at).status).toBe(0);
  const damage = (sql: string): void => {
    const db = new Sqlite(path.join(folder, 'ledger.db'));
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
    db.close();
  };
  damage('UPDATE engine_pack_contents SET contents = zeroblob(length(contents))');
  const found = loom('search', 'words', ...at);
  expect(found.status).toBe(0);
  expect(found.err).toContain('left out: `loom doctor --deep` names the threads.');
  const hurt = 'are damaged in the ledger and cannot be read';
  // Whoever meets it leaves it whole, since the session's file tells it again.
  expect(loom('show', sessionId, ...at)).toMatchObject({ status: 0, out: expect.stringContaining(hurt) as string });
  expect(loom('show', sessionId, ...at)).toMatchObject({ status: 0, out: expect.not.stringContaining(hurt) as string });
  fs.rmSync(large.file);
  damage('DELETE FROM archive_chunks');
  damage('UPDATE engine_pack_contents SET contents = zeroblob(length(contents))');
  expect(loom('show', sessionId, ...at)).toMatchObject({
    status: 0,
    out: expect.stringContaining(hurt) as string,
  });
  const baton = loom('baton', sessionId, ...at);
  expect(baton.status).toBe(1);
  expect(baton.err).toMatch(/^L009: [^\n]+\n$/u);
  expect(fs.readdirSync(folder).filter((name) => name.includes('.damaged-'))).toEqual([]);
}, 60_000);

test('of programs that are started at once each is answered, though the one that owns the ledger ends when it is done', async () => {
  using large = new TestHome();
  writeAnswers(large, 4000);
  const together = path.join(path.dirname(ledger), 'together');
  const ends = Array.from({ length: 6 }, async () => {
    const child = spawn(process.execPath, [program, 'ingest', '--json', '--home', large.home, '--ledger', together], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: '/usr/bin:/bin', HOME: large.home },
    });
    let err = '';
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    const status = await new Promise((resolve) => child.once('close', resolve));
    return { status, err: err.replaceAll('connected to the owner of the ledger\n', '') };
  });
  expect(await Promise.all(ends)).toEqual(Array.from({ length: 6 }, () => ({ status: 0, err: '' })));
}, 60_000);

test('ingest reports what was new, and nothing the second time', () => {
  const first = json<Record<string, unknown>>('ingest');
  expect(Object.keys(first).toSorted()).toEqual([
    'bytes',
    'entries',
    'ms',
    'opaque',
    'records',
    'sources',
    'threads',
    'warnings',
  ]);
  expect(first['entries']).toBeGreaterThan(100);
  expect(json('ingest')).toMatchObject({ bytes: 0, records: 0, entries: 0, threads: first['threads'] });
});

test('threads have the shape of the contract, newest first, without subagents', () => {
  const threads = json<Thread[]>('threads');
  for (const name of 'id title harness surface cwd repo branch createdAt updatedAt turns entries live driver automation archived sourceGone parent native children'.split(
    ' ',
  ))
    for (const thread of threads) expect(thread, name).toHaveProperty(name);
  const times = threads.map((thread) => Number(thread['updatedAt']));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const withAgents = threads.find((thread) => thread.native.some((native) => native.id.startsWith('80b67e22')));
  expect(withAgents?.['children']).toHaveLength(2);
  expect(threads.some((thread) => thread.native.some((native) => native.id.startsWith('a64a237f')))).toBe(false);
  expect(json<Thread[]>('threads', '--harness', 'codex').every((thread) => thread['harness'] === 'codex')).toBe(true);
  expect(json<Thread[]>('threads', '--cwd', '/nowhere')).toEqual([]);
  expect(json<Thread[]>('threads', '--live')).toEqual([]);
});

test('a thread is named by its id, a unique beginning of it, or a native session id', () => {
  const [thread] = json<Thread[]>('threads').filter((candidate) => candidate.native[0]?.id === claudeSession);
  if (thread === undefined) throw new Error('the fixture has no thread');
  const shown = ['--limit', '2'];
  const byId = json<{ thread: Thread }>('show', thread.id, ...shown);
  expect(json<{ thread: Thread }>('show', thread.id.slice(0, 8), ...shown)).toEqual(byId);
  expect(json<{ thread: Thread }>('show', claudeSession, ...shown)).toEqual(byId);
});

test('show pages through a thread in order, each entry with its provenance; --raw gives the native line', () => {
  interface Shown {
    readonly entries: readonly (Record<string, unknown> & {
      readonly id: number;
      readonly provenance: { readonly offset: number; readonly length: number };
    })[];
    readonly next: number | null;
    readonly conversations: readonly object[];
  }
  const all = json<Shown>('show', claudeSession);
  expect(all.next).toBeNull();
  const paged: number[] = [];
  for (let after = 0; ;) {
    const page = json<Shown>('show', claudeSession, '--limit', '7', '--after', String(after));
    paged.push(...page.entries.map((entry) => entry.id));
    if (page.next === null) break;
    after = page.next;
  }
  expect(paged).toEqual(all.entries.map((entry) => entry.id));
  const raw = json<Shown>('show', claudeSession, '--raw', '--limit', '50');
  for (const entry of raw.entries) expect(() => JSON.parse(String(entry['raw'])) as unknown).not.toThrow();
  expect(all.conversations.length).toBe(1);
});

test('context is what a model would be given, as of any entry', () => {
  interface Context {
    readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
  }
  const now = json<Context>('context', claudeSession);
  expect(now.messages[0]).toMatchObject({ role: 'user' });
  expect(new Set(now.messages.map((message) => message.role))).toEqual(new Set(['user', 'assistant', 'toolResult']));
  const early = json<Context>('context', claudeSession, '--at', '6');
  expect(early.messages.length).toBeLessThan(now.messages.length);
  expect(now.messages.slice(0, early.messages.length)).toEqual(early.messages);
});

test('search finds; the baton cites', () => {
  const hits = json<Record<string, unknown>[]>('search', 'cart', '--limit', '5');
  expect(hits.length).toBeGreaterThan(0);
  for (const name of ['thread', 'entry', 'title', 'snippet', 'at', 'harness', 'score']) expect(hits[0]).toHaveProperty(name);
  const all = json<unknown[]>('search', 'cart').length;
  expect(json('search', 'cart', '--since', '1990-01-01')).toHaveLength(all);
  expect(json('search', 'cart', '--until', '1990-01-01')).toEqual([]);
  const baton = json<Record<string, unknown>>('baton', claudeSession, '--to', 'codex', '--budget', '900');
  for (const name of [
    'goal',
    'constraints',
    'plan',
    'decisions',
    'failed',
    'world',
    'files',
    'lastTurns',
    'open',
    'pointer',
    'bytes',
    'tokens',
    'masked',
    'quoted',
  ])
    expect(baton, name).toHaveProperty(name);
  expect(baton['tokens']).toBeLessThanOrEqual(900);
  expect(baton['goal']).toEqual(
    expect.arrayContaining([expect.objectContaining({ entries: expect.arrayContaining([expect.any(Number)]) as number[] })]),
  );
  expect(loom('baton', claudeSession, '--home', home, '--ledger', ledger).out).toContain('# Hand-over from Claude Code');
});

test('continue says what it would do, then does it: a native session of the same thread, read once', () => {
  interface Continued {
    readonly thread: string;
    readonly nativeId: string;
    readonly path: string;
    readonly mode: string;
    readonly command: { readonly argv: readonly string[] };
    readonly disclosure: Record<string, unknown>;
    readonly lease: unknown;
    readonly warnings: readonly string[];
  }
  const before = json<Thread[]>('threads');
  const dry = json<Continued>('continue', claudeSession, '--in', 'codex', '--dry-run');
  expect(loom('continue', claudeSession, '--in', 'codex', '--dry-run', '--home', home, '--ledger', ledger).out).toContain(
    'Nothing is written yet.',
  );
  expect(fs.existsSync(dry.path)).toBe(false);
  expect(dry.lease).toBeNull();
  const made = json<Continued>('continue', claudeSession, '--in', 'codex');
  expect(fs.statSync(made.path).mode & 0o077).toBe(0);
  expect(made.command.argv).toEqual(['codex', 'resume', made.nativeId]);
  expect(made.lease).toEqual({ epoch: 1, holder: 'codex' });
  expect(made.warnings.join(' ')).toContain('not on PATH');
  const after = json<Thread[]>('threads');
  expect(after).toHaveLength(before.length);
  const thread = after.find((candidate) => candidate.id === made.thread);
  expect(thread?.native.map((native) => native.harness)).toEqual(['claude', 'codex']);
  expect(thread?.['harness']).toBe('codex');
  fs.appendFileSync(
    made.path,
    `${JSON.stringify({ timestamp: '2026-11-30T10:00:00.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'said in the other agent' }] } })}\n`,
  );
  expect(json('ingest')).toMatchObject({ records: 1 });
  const shown = json<{ entries: { kind: string; text: string }[] }>('show', made.thread);
  expect(shown.entries.filter((entry) => entry.kind === 'handoff')).toHaveLength(1);
  expect(shown.entries.at(-1)).toMatchObject({ kind: 'user', text: 'said in the other agent' });
  expect(shown.entries.filter((entry) => entry.text === 'run @@bash')).toHaveLength(1);
});

test('of programs that continue one thread at once each carries it in turn, or is told that it is being continued', async () => {
  const own = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  fs.cpSync(path.join(fixtures, 'codex/01-exec-basic'), own, { recursive: true });
  const at = ['--json', '--home', own, '--ledger', path.join(own, 'ledger')];
  const ran = await Promise.all(
    ['codex', 'claude', 'codex'].map(async (to) => {
      const child = spawn(process.execPath, [program, 'continue', claudeSession, '--native', '--in', to, ...at], {
        env: { PATH: '/usr/bin:/bin', HOME: own },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let err = '';
      child.stdout.resume();
      child.stderr.on('data', (data: Buffer) => (err += data.toString()));
      const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { status, err };
    }),
  );
  const done = ran.filter(({ status }) => status === 0).length;
  expect(done, JSON.stringify(ran)).toBeGreaterThan(0);
  for (const { status, err } of ran) if (status !== 0) expect(err).toMatch(/^C008: .*\n$/u);
  const threads = JSON.parse(loom('threads', ...at).out) as Thread[];
  const native = threads.find((thread) => thread.native.some(({ id }) => id === claudeSession))?.native ?? [];
  expect(native).toHaveLength(1 + done);
  for (const session of native) expect(fs.readFileSync(session.path, 'utf8').endsWith('\n')).toBe(true);
  expect(threads).toHaveLength(2);
  fs.rmSync(own, { recursive: true });
});

test('a hand-over is carried although the commands beside it own the ledger and end', async () => {
  const own = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  fs.cpSync(path.join(fixtures, 'codex/01-exec-basic'), own, { recursive: true });
  const at = ['--json', '--home', own, '--ledger', path.join(own, 'ledger')];
  const commands = [['threads'], ['continue', claudeSession, '--in', 'codex'], ['show', claudeSession], ['ingest'], ['threads']];
  const [, carried] = await Promise.all(
    commands.map(async (words) => {
      const child = spawn(process.execPath, [program, ...words, ...at], {
        env: { PATH: '/usr/bin:/bin', HOME: own },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (data: Buffer) => (out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (err += data.toString()));
      const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { status, out, err };
    }),
  );
  expect(carried).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse(carried?.out ?? '')).toMatchObject({ harness: 'codex', lease: { epoch: 1 } });
  fs.rmSync(own, { recursive: true });
});

/** A home of its own with a thread of Claude Code in a folder that is there, and Codex's folder. */
function ownHome(): { readonly folder: string; readonly file: string; readonly at: readonly string[] } {
  const own = copyHome(path.join(fixtures, 'codex/10-app-server-mixed'));
  onTestFinished(() => fs.rmSync(own, { recursive: true, force: true }));
  const folder = path.join(own, 'shop');
  fs.mkdirSync(folder);
  const file = path.join(own, '.claude/projects/-home-user-shop', `${sessionId}.jsonl`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const rows = userRow(1, null, 'Build the cart.') + assistantRow(2, 1, 'Built.');
  fs.writeFileSync(file, rows.replaceAll('"/home/user/shop"', JSON.stringify(folder)));
  const at = ['--home', own, '--ledger', path.join(own, 'ledger')];
  expect(loom('ingest', ...at).status).toBe(0);
  return { folder, file, at };
}

test('a conflict is listed and ended from a shell', () => {
  const { file, at } = ownHome();
  const run = (...args: readonly string[]): Ran => loom('conflicts', ...args, ...at);
  const listed = (): readonly Record<string, unknown>[] => JSON.parse(run('list', '--json').out) as Record<string, unknown>[];
  expect(loom('continue', sessionId, '--in', 'codex', '--yes', ...at)).toMatchObject({ status: 0 });
  expect(run('list').out).toBe('No thread is in conflict.\n');
  expect(run('keep', sessionId)).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^T005: .*conflicts list/u) as string,
  });
  for (const [choice, holder, words] of [
    ['keep', 'codex', /is held by Codex; what Claude Code wrote stays a branch\.\n$/u],
    ['follow', 'claude', /is held by Claude Code; its branch is the thread's now\.\n$/u],
  ] as const) {
    goesOn('claude', { file, prompt: `Paint it, ${choice}.`, answer: 'Painted.', at: Date.now() });
    const [conflict, ...more] = listed();
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({ holder: 'codex', harness: 'claude', nativeId: sessionId, title: 'Build the cart.' });
    expect(run('list').out).toMatch(/Build the cart\..*held by Codex; Claude Code went on \(\d+ entries\)\n$/u);
    expect(run(choice, String(conflict?.['thread']))).toMatchObject({ status: 0, out: expect.stringMatching(words) as string });
    expect(listed()).toEqual([]);
    const [thread] = JSON.parse(loom('threads', '--json', ...at).out) as readonly Record<string, unknown>[];
    expect(thread).toMatchObject({ lease: { holder } });
  }
  for (const wrong of [[], ['list', 'x'], ['keep'], ['follow', 'a', 'b'], ['merge', 'x']])
    expect([run(...wrong).status, run(...wrong).out], wrong.join(' ')).toEqual([2, '']);
  expect(run('keep', 'zzzz')).toMatchObject({ status: 1, err: expect.stringMatching(/^T001/u) as string });
});

test('what was agreed to for good is listed and taken back from a shell', () => {
  const { folder, at } = ownHome();
  const run = (...args: readonly string[]): Ran => loom('consents', ...args, ...at);
  const listed = (...args: readonly string[]): unknown => JSON.parse(run('list', '--json', ...args).out);
  expect(run('list').out).toBe('Nothing is agreed to for good.\n');
  const agree = (): number | null => loom('continue', sessionId, '--in', 'codex', '--native', '--always', ...at).status;
  expect(agree()).toBe(0);
  const agreement = { folder: fs.realpathSync(folder), from: 'claude', to: 'codex', at: expect.any(Number) as number };
  expect(listed()).toEqual([agreement]);
  const link = `${folder}-link`;
  fs.symlinkSync(folder, link);
  expect(listed('--cwd', link)).toEqual([agreement]);
  expect(listed('--cwd', path.dirname(folder))).toEqual([]);
  expect(run('list').out).toMatch(/ {2}Claude Code to Codex {2}in .*shop\n$/u);
  expect(run('forget', '--cwd', path.dirname(folder)).out).toBe('0 agreements are taken back.\n');
  expect(run('forget', '--cwd', link).out).toBe('1 agreement is taken back.\n');
  expect(listed()).toEqual([]);
  expect(loom('continue', sessionId, '--in', 'claude', '--always', ...at).status).toBe(0);
  expect(JSON.parse(run('forget', '--all', '--json').out)).toEqual({ forgotten: 1 });
  expect(JSON.parse(run('forget', '--all', '--json').out)).toEqual({ forgotten: 0 });
  for (const wrong of [
    [],
    ['list', '--all'],
    ['list', 'x'],
    ['forget'],
    ['forget', '--all', '--cwd', '.'],
    ['forget', '--cwd', ''],
    ['list', '--cwd', ''],
    ['remember'],
  ])
    expect([run(...wrong).status, run(...wrong).out], wrong.join(' ')).toEqual([2, '']);
});

test('expected failures are one line with what to do and status 1; wrong usage is status 2', () => {
  const at = ['--home', home, '--ledger', ledger];
  const unknown = loom('show', 'zzzz', ...at);
  expect([unknown.status, unknown.out]).toEqual([1, '']);
  expect(unknown.err).toMatch(/^T001: .*loom threads.*\n$/u);
  const ambiguous = loom('show', '', ...at);
  expect(ambiguous.status).toBe(1);
  expect(loom('continue', claudeSession, '--in', 'pi', ...at)).toMatchObject({ status: 1 });
  expect(loom('continue', claudeSession, '--in', 'claude', '--prompt', ...at)).toMatchObject({ status: 1 });
  for (const wrong of [
    ['nonsense'],
    ['show'],
    ['threads', '--harness', 'nobody'],
    ['show', 'x', '--limit', '-3'],
    ['continue', 'x'],
    ['baton', 'x', 'y'],
    ['threads', '--what'],
    ['threads', 'words'],
    ['search'],
    ['search', '!?'],
    ['search', 'x', '--kind', 'nonsense'],
    ['search', 'x', '--since', 'soon'],
    ['search', 'x', '--until', '2026-02-30'],
  ]) {
    const ran = loom(...wrong, ...at);
    expect([ran.status, ran.out], wrong.join(' ')).toEqual([2, '']);
    expect(ran.err.length).toBeGreaterThan(10);
  }
  // With --json there is one document on standard output, whatever happened.
  for (const wrong of [['continue', 'x'], ['threads', '--what'], ['nonsense']]) {
    const ran = loom(...wrong, '--json', ...at);
    expect(ran.status, wrong.join(' ')).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { id: 'usage', message: ran.err.trimEnd() } });
  }
  expect(loom('--help')).toMatchObject({ status: 0, err: '' });
  expect(loom('show', '--help')).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringMatching(/^loom show THREAD \[--conversation …\]/u) as string,
  });
  expect(loom('show', claudeSession, '--conversation', '99', ...at).err).toMatch(/^T003: .*no such conversation.*\n$/u);
  expect(loom('--json', '--version').out.trim()).toMatch(/^\d+\.\d+\.\d+$/u);
  expect(loom('--version').out.trim()).toMatch(/^\d+\.\d+\.\d+$/u);
});

test('a harness that is nowhere on the machine is named, with how to get it, and nothing is written', () => {
  const bare = copyHome(path.join(fixtures, 'claude/02-print-tools'));
  const ran = loom('continue', claudeSession, '--in', 'codex', '--home', bare, '--ledger', path.join(bare, 'ledger'));
  expect([ran.status, ran.out]).toEqual([1, '']);
  expect(ran.err).toMatch(/^C001: .*Codex.*\n$/u);
  expect(fs.existsSync(path.join(bare, '.codex'))).toBe(false);
  fs.rmSync(bare, { recursive: true, force: true });
});

test('doctor finds each thing and its fix', () => {
  const { checks } = json<{ checks: { id: string; ok: boolean; detail: string; fix: string }[] }>('doctor');
  expect(checks.map((check) => check.id)).toEqual(expect.arrayContaining(['node', 'ledger', 'claude', 'codex', 'sources']));
  for (const check of checks) if (!check.ok) expect(check.fix, check.id).not.toBe('');
});

test('while a started program runs, the ledger is free for everybody else', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-launch-'));
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin);
  const session = copyHome(path.join(fixtures, 'codex/10-app-server-mixed'));
  const own = ['--home', session, '--ledger', path.join(folder, 'ledger')];
  const [thread] = (JSON.parse(loom('threads', '--json', ...own).out) as Thread[]).filter(({ turns }) => Number(turns) > 0);
  if (thread === undefined) throw new Error('the fixture has no thread');
  // Stands for the agent: asks for the list while it runs, and ends with a status of its own.
  const asks = [process.execPath, program, 'threads', '--json', ...own].map((word) => `'${word}'`).join(' ');
  fs.writeFileSync(path.join(bin, 'codex'), `#!/bin/sh\n[ "$1" = resume ] && ${asks} >'${folder}/answer' && exit 7\n`, {
    mode: 0o755,
  });
  const launch = (): Ran => {
    const ran = spawnSync(process.execPath, [program, 'continue', thread.id, '--in', 'codex', '--launch', ...own], {
      encoding: 'utf8',
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: session },
      timeout: 30_000,
    });
    return { status: ran.status, out: ran.stdout, err: ran.stderr };
  };
  if (!fs.existsSync(String(thread['cwd']))) {
    const refused = launch();
    expect(refused.status).toBe(1);
    expect(refused.err).toContain('C007');
    const now = JSON.parse(loom('threads', '--json', ...own).out) as Thread[];
    expect(now.find(({ id }) => id === thread.id)?.native).toHaveLength(thread.native.length);
  }
  const file = thread.native[0]?.path ?? '';
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(JSON.stringify(thread['cwd']), JSON.stringify(folder)));
  fs.rmSync(path.join(folder, 'ledger'), { recursive: true });
  const ran = launch();
  expect(ran.status, ran.err).toBe(7);
  const answer = JSON.parse(fs.readFileSync(path.join(folder, 'answer'), 'utf8')) as Thread[];
  expect(answer.find(({ id }) => id === thread.id)?.native).toHaveLength(2);
  fs.rmSync(folder, { recursive: true });
  fs.rmSync(session, { recursive: true });
});
