/** Every secret of the corpus, in every kind of place of a thread, against every way out of it: none leaves. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { compileThread } from '../../../server/drive/compile.ts';
import { renderBaton } from '../../../server/baton/render.ts';
import { allEntries } from '../../../server/ledger/transcript.ts';
import { carriedLines, disclosureLines } from '../../../server/main/commands/continue-words.ts';
import type { ContinueMode, ContinueResult } from '../../../server/protocol/requests.ts';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { handOver, id } from '../../handover/hand-over.ts';
import { addStore } from '../../handover/antigravity-store.ts';
import { ledgerOf, threadOf } from '../../handover/read-home.ts';
import type { HomeLedger } from '../../home-ledger.ts';
import { places } from './places.ts';
import { homeOf } from './session.ts';
import type { Turn } from './session.ts';
import { tokens } from './tokens.ts';
import { alnum, of } from './values.ts';

const cwd = '/home/user/shop';
const title = of('gh', 'p_', alnum(36));
const branch = of('gl', 'pat-', alnum(20));
const fileName = of('sk-', 'ant-', 'api03-', alnum(40));
const typed = of('xai', '-', alnum(60));

const secrets: readonly string[] = [
  title,
  branch,
  fileName,
  ...Object.values(tokens).map((token) => token.slice(token.length >> 1)),
  ...places.flatMap((place) => place.secrets),
].filter((secret) => secret.length > 6);

/** Everything once as a prompt, an answer, a command, its output, a file that is written, and one that is read. */
function turns(): readonly Turn[] {
  const texts = [...Object.values(tokens).map((token) => `the key is ${token} here`), ...places.map(({ text }) => text)];
  const out: Turn[] = [{ prompt: `Log in with ${title} and build the cart.` }];
  for (const [index, text] of texts.entries()) {
    const forms: readonly Turn[] = [
      { prompt: `Try it with this:\n${text}` },
      { say: `We must not forget this:\n${text}` },
      { call: 'Bash', input: { command: `cat <<'X'\n${text}\nX`, description: text.slice(0, 40) }, output: 'ok' },
      { call: 'Bash', input: { command: 'env' }, output: `Exit code 1\n${text}\nError: it failed with\n${text}` },
      { call: 'Write', input: { file_path: `${cwd}/${fileName}.txt`, content: text }, output: 'written' },
      { call: 'Read', input: { file_path: `${cwd}/.env` }, output: text },
      { call: 'mcp__vault__get', input: { query: text, nested: [{ deep: text }] }, output: text },
    ];
    for (const step of [0, 3, 5]) {
      const form = forms[(index + step) % forms.length];
      if (form !== undefined) out.push(form);
    }
  }
  out.push({ prompt: 'Go on.' }, { say: 'The next step is to run the tests.' });
  return out;
}

async function thread(): Promise<HomeLedger> {
  const folder = homeOf({ id, cwd, branch }, turns());
  return ledgerOf({}, folder);
}

function leaks(text: string): readonly string[] {
  return secrets.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));
}

/** All that a hand-over shows, says and writes. */
async function leaving(home: HomeLedger, result: ContinueResult): Promise<Readonly<Record<string, string>>> {
  const row = threadOf(home);
  const entries = await allEntries(home.ledger, row.session, row.current_conversation);
  const handoffs = entries.filter((entry) => entry.kind === 'handoff').map(({ content }) => ({ ...content, carried: [] }));
  return {
    result: JSON.stringify(result),
    baton: result.baton,
    file: fs.readFileSync(result.path, 'utf8'),
    beside: filesOf(home.home, result.nativeId),
    argv: result.command.argv.join('\n'),
    lines: [...carriedLines(result, false), ...disclosureLines(result)].join('\n'),
    entry: JSON.stringify(handoffs),
    audit: auditsOf(home),
  };
}

function auditsOf({ folder }: HomeLedger): string {
  const db = new Database(path.join(folder, 'ledger.db'), { readonly: true });
  try {
    const rows = db.prepare('SELECT * FROM audit').all();
    expect(rows.length).toBeGreaterThan(0);
    return JSON.stringify(rows);
  } finally {
    db.close();
  }
}

/** Small files beside a session that name it: an index, a list of titles. */
function filesOf(home: string, nativeId: string): string {
  const out: string[] = [];
  for (const entry of fs.readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('.claude/projects')) continue;
    const text = fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8');
    if (nativeId === '' || text.includes(nativeId)) out.push(text);
  }
  return out.join('\n');
}

async function expectNoLeak(home: HomeLedger, result: ContinueResult): Promise<void> {
  for (const [way, text] of Object.entries(await leaving(home, result))) expect([way, leaks(text)]).toEqual([way, []]);
  expect(result.disclosure.masked).toBeGreaterThan(result.mode === 'prompt' ? 0 : 100);
}

test('the thread itself gives all of them away', async () => {
  await using home = await thread();
  const own = fs.readFileSync(path.join(home.home, '.claude/projects/-home-user-shop', `${id}.jsonl`), 'utf8');
  const kept = new Set(leaks(own));
  // What is cut by a colour code, an invisible character or a line's end stands there in parts, and a file's name in its path.
  expect(secrets.filter((secret) => !kept.has(secret)).length).toBeLessThan(4);
  expect(kept.size).toBeGreaterThan(180);
});

const targets = shuttles.flatMap(({ harness, write, launch }): readonly (readonly [HarnessId, ContinueMode])[] => {
  if (harness === 'claude') return [];
  const native = 'absent' in write ? [] : [[harness, 'native'] as const];
  const prompt = 'absent' in launch || 'absent' in launch.begin ? [] : [[harness, 'prompt'] as const];
  return [...native, ...prompt];
});

test.each(targets)('into %s, %s', async (harness, mode) => {
  await using home = await thread();
  if (harness === 'antigravity') addStore(home.home);
  await expectNoLeak(home, await handOver(home, { harness, mode }));
});

test('into Claude Code, from a session that was carried to Codex: anew, and back into its own', async () => {
  for (const mode of ['native', 'return'] as const) {
    await using home = await thread();
    await handOver(home, { harness: 'codex', mode: 'native' });
    await home.catchUp();
    const own = path.join(home.home, '.claude/projects/-home-user-shop', `${id}.jsonl`);
    const before = fs.statSync(own).size;
    const result = await handOver(home, { harness: 'claude', mode });
    const written = fs.readFileSync(result.path);
    const fresh = (mode === 'return' ? written.subarray(before) : written).toString('utf8');
    expect([mode, leaks(fresh)]).toEqual([mode, []]);
    expect([mode, leaks(JSON.stringify(result))]).toEqual([mode, []]);
  }
});

test('a baton of any size, and what the person types into it', async () => {
  await using home = await thread();
  const options = { to: 'codex', now: 0, salt: 'salt', facts: () => Promise.resolve(null) } as const;
  const { baton } = await compileThread(home.ledger, threadOf(home), { ...options, budget: null });
  for (const budgetTokens of [300, 2000, 50_000]) expect(leaks(renderBaton(baton, { budgetTokens }).markdown)).toEqual([]);
  expect(leaks(JSON.stringify(baton))).toEqual([]);
  const result = await handOver(home, { harness: 'codex', baton: `Use ${typed} for it.` });
  expect(`${result.baton}${fs.readFileSync(result.path, 'utf8')}`).not.toContain(typed);
});

test('the worktree: a branch and files that are named like keys', async () => {
  await using home = await thread();
  const world = {
    at: 0,
    head: 'a'.repeat(40),
    branch,
    dirtyFiles: [{ path: `dumps/${fileName}.json`, change: 'M' }],
  };
  const options = { to: 'codex', now: 0, salt: 'salt', facts: () => Promise.resolve(world) } as const;
  const { baton, result } = await compileThread(home.ledger, threadOf(home), { ...options, budget: 20_000 });
  expect(leaks(`${JSON.stringify(baton)}${result.markdown}`)).toEqual([]);
});
