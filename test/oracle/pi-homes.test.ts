/**
 * The ledger of every fixture home of pi and omp against what a few lines of script count in the same bytes: threads with their folders
 * and titles, prompts, branches of the tree, tokens, results paired with their calls. The script knows nothing of the reader; it reads
 * JSON lines and follows parents.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findThread } from '../../server/ledger/lookup.ts';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { ThreadRow } from '../../server/ledger/threads-table.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

interface Line {
  readonly type: string;
  readonly id: string;
  readonly parentId?: string | null;
  readonly timestamp: string;
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly name?: string;
  readonly usage?: Tokens;
  readonly message?: {
    readonly role: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string; readonly id?: string }[];
    readonly toolCallId?: string;
    readonly usage?: Tokens;
  };
}
interface Tokens {
  readonly input: number;
  readonly output: number;
}
interface File {
  readonly header: Line;
  readonly lines: readonly Line[];
  /** Those that are not copies of a line in another file of the home. */
  readonly own: readonly Line[];
}

const folder = path.join(fixtures, 'pi');
const homes = readdirSync(folder)
  .toSorted()
  .filter((home) => home !== 'handmade-egress');

/** Every file of the home; a fork's copied lines are those that its parent has, byte for byte. */
function filesOf(home: string): readonly File[] {
  const paths = readdirSync(path.join(folder, home), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/sessions/') && name.endsWith('.jsonl'))
    .toSorted((a, b) => path.basename(a).localeCompare(path.basename(b)));
  const seen = new Set<string>();
  return paths.map((name) => {
    const texts = readFileSync(path.join(folder, home, name), 'utf8')
      .trim()
      .split('\n');
    const all = texts.map((line) => JSON.parse(line) as Line);
    const header = all.find(({ type }) => type === 'session');
    if (header === undefined) throw new Error(`no header in ${name}`);
    const lines = all.filter(({ type }) => type !== 'session' && type !== 'title');
    const copied = header.parentSession === undefined ? new Set<string>() : new Set(seen);
    const own = lines.filter((line) => !copied.has(JSON.stringify(line)));
    for (const line of lines) seen.add(JSON.stringify(line));
    return { header, lines, own };
  });
}

function text(line: Line): string {
  const content = line.message?.content ?? '';
  return typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');
}

const isPrompt = (line: Line): boolean => line.message?.role === 'user';

/** The names on the way from the last line to the root: what pi goes on from. */
function way(file: File): readonly Line[] {
  const byId = new Map(file.lines.map((line) => [line.id, line]));
  const found: Line[] = [];
  for (let line = file.lines.at(-1); line !== undefined; line = byId.get(line.parentId ?? '')) found.unshift(line);
  return found;
}

async function rowOf(home: HomeLedger, { header }: File): Promise<ThreadRow> {
  const row = findThread(home.ledger, header.id);
  if (row === undefined) throw new Error(`${header.id} is not in the ledger`);
  return row;
}

test.each(homes)('%s: threads, folders, titles, prompts and tokens are those of the bytes', async (name) => {
  await using home = new HomeLedger(path.join(folder, name));
  await home.catchUp();
  expect(home.faults).toEqual([]);
  const files = filesOf(name);
  const rows = home.ledger.threads.newest(100);
  expect(rows).toHaveLength(files.length);
  for (const file of files) {
    const row = await rowOf(home, file);
    expect(row.harness).toBe('pi');
    expect(row.cwd).toBe(file.header.cwd);
    expect(row.turns).toBe(file.own.filter(isPrompt).length);
    const used = file.own.flatMap((line) => line.message?.usage ?? line.usage ?? []);
    expect([row.usage_input, row.usage_output]).toEqual([
      used.reduce((sum, { input }) => sum + input, 0),
      used.reduce((sum, { output }) => sum + output, 0),
    ]);
    const named = file.lines.findLast(({ type }) => type === 'session_info')?.name;
    const first = text(file.lines.find(isPrompt) ?? file.header);
    const skill = /^<skill name="(.+?)"[\s\S]*<\/skill>\n\n/.exec(first);
    const attached = /^<file name=[\s\S]*<\/file>\n/.exec(first)?.[0] ?? '';
    const typed = first.slice(attached.length).trim();
    expect(row.title).toBe(named ?? (skill === null ? typed : `/skill:${skill[1] ?? ''} ${first.slice(skill[0].length)}`));
    expect(row.created_at).toBe(Date.parse(file.header.timestamp));
  }
});

test.each(homes)(
  '%s: the current conversation says what stands on the way from the last line to the root, in order',
  async (name) => {
    await using home = new HomeLedger(path.join(folder, name));
    await home.catchUp();
    for (const file of filesOf(name)) {
      const row = await rowOf(home, file);
      const entries = await allEntries(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
      // The one file whose parent is missing: pi loses what stands before the gap, the ledger does not.
      const expected = (file.header.id.endsWith('000000000004') ? file.lines : way(file)).filter(
        (line) => ['user', 'assistant', 'toolResult'].includes(line.message?.role ?? '') && line.message?.content.length !== 0,
      );
      const ids = entries.flatMap((entry) =>
        (entry.kind === 'user' && entry.content.origin === 'typed') || entry.kind === 'assistant' || entry.kind === 'tool_result'
          ? [entry.content.provenance.nativeId]
          : [],
      );
      expect(ids).toEqual(expected.map(({ id }) => id));
      const results = entries.flatMap((entry) => (entry.kind === 'tool_result' ? [entry.content.toolCallId] : []));
      expect(results).toEqual(expected.flatMap(({ message }) => message?.toolCallId ?? []));
      for (const entry of entries) expect(entry.kind).not.toBe('opaque');
    }
  },
);

test('a branch of the tree, a fork and a clone are conversations that share what they have in common', async () => {
  await using home = new HomeLedger(path.join(folder, 'pi-03-1.6.0-tree-fork-clone'));
  await home.catchUp();
  const files = filesOf('pi-03-1.6.0-tree-fork-clone');
  const [tree, fork, clone] = await Promise.all(files.map((file) => rowOf(home, file)));
  expect(new Set([tree?.session, fork?.session, clone?.session]).size).toBe(1);
  expect([fork?.parent_thread, clone?.parent_thread]).toEqual([tree?.id, fork?.id]);
  // The tree has a branch that was left; nothing that was copied is stored again.
  expect(home.ledger.branches.bySession(tree?.session ?? '')).toHaveLength(4);
  const stored = await Promise.all(
    home.ledger.branches
      .bySession(tree?.session ?? '')
      .map((branch) => allEntries(home.ledger, branch.session, branch.conversation)),
  );
  const said = new Map(
    stored
      .flat()
      .flatMap((entry) =>
        entry.kind === 'user' && entry.content.origin === 'typed' ? [[entry.id, entry.content.provenance.nativeId]] : [],
      ),
  );
  const prompts = new Set(files.flatMap(({ lines }) => lines.filter(isPrompt).map(({ id }) => id)));
  expect(new Set(said.values())).toEqual(prompts);
});

test('a clone that says nothing of its own is a thread that ends where its parent’s copy ended', async () => {
  await using home = new HomeLedger(path.join(folder, 'pi-13-1.6.0-rpc'));
  await home.catchUp();
  const [original, clone] = await Promise.all(filesOf('pi-13-1.6.0-rpc').map((file) => rowOf(home, file)));
  expect(clone).toMatchObject({
    parent_thread: original?.id,
    turns: 0,
    entries: 0,
    current_conversation: original?.current_conversation,
  });
});
