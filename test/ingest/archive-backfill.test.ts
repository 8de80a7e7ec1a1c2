/** A ledger whose sources were read before bytes were kept, and processes that are killed: nothing is archived half. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Ledger } from '../../server/ledger/ledger.ts';
import { ledgerFile } from '../../server/ledger/database.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { OpenclawHome, user } from '../openclaw-home.ts';
import { Restored, sessionFiles, sha256Of } from './archive-home.ts';
import { assistantRow, TestHome, userRow } from './claude-session.ts';

/** As the migration leaves a ledger of an older Loom. */
function forgetBytes(folder: string): void {
  const db = new Sqlite(ledgerFile(folder));
  for (const table of ['chunks', 'loose', 'blocks', 'versions', 'held', 'absent']) db.exec(`DELETE FROM archive_${table}`);
  db.exec("INSERT INTO archive_absent SELECT number, 'waiting' FROM sources WHERE status IN ('current', 'reading', 'gone')");
  db.close();
}

async function archiveAll(read: HomeLedger): Promise<number> {
  let calls = 0;
  while (await read.ingest.archiveSome()) calls++;
  return calls;
}

test('what an older Loom read is archived later, a part at a time, also when the file has grown since', async () => {
  using home = new TestHome();
  const long = 'a long answer of many words '.repeat(100_000);
  home.write(userRow(1, null, 'one'), ...Array.from({ length: 8 }, (_, i) => assistantRow(i + 2, i + 1, long)));
  home.append('{"torn');
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  forgetBytes(read.folder);
  home.append(`":1}\n${userRow(20, 9, 'more')}{"again torn`);
  await read.catchUp();
  const number = read.ledger.sources.byPath(home.file)?.number ?? 0;
  expect(read.ledger.archive.chunks.extents(number, 0)[0]?.start).toBeGreaterThan(20_000_000);
  expect(await archiveAll(read)).toBeGreaterThan(1);
  expect(read.ledger.archive.totals().absent).toEqual([]);
  fs.copyFileSync(home.file, `${home.file}.before`);
  fs.rmSync(home.file);
  await read.catchUp();
  using back = new Restored(read.ledger, home.home);
  expect(back.files.get(home.file)).toBe(sha256Of(`${home.file}.before`));
}, 120_000);

test('databases and compressed rollouts of an older ledger are archived too', async () => {
  using openclaw = new OpenclawHome();
  const id = '01a0667f-1680-79a2-81b3-ff254144000a';
  openclaw.session(id);
  openclaw.event(id, 1, user(id, 1, null, 'first'));
  fs.cpSync(path.join(fixtures, 'codex/15-zstd-compressed'), openclaw.home, { recursive: true });
  await using read = new HomeLedger(openclaw.home);
  await read.catchUp();
  const before = sessionFiles(read.ledger);
  expect([...before.keys()].filter((name) => /\.zst$|\.sqlite$/u.test(name))).toHaveLength(2);
  forgetBytes(read.folder);
  await archiveAll(read);
  await read.catchUp();
  await archiveAll(read);
  expect(read.ledger.archive.totals().absent).toEqual([]);
  using back = new Restored(read.ledger, openclaw.home);
  expect(Object.fromEntries(back.files)).toEqual(Object.fromEntries(before));
});

test('a file that was gone or rewritten before its bytes were kept is declared, with the reason', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  forgetBytes(read.folder);
  fs.rmSync(home.file);
  await read.catchUp();
  await archiveAll(read);
  expect(read.ledger.archive.totals().absent).toEqual([{ reason: 'gone', count: 1 }]);
  expect(() => new Restored(read.ledger, home.home)).toThrow(/Nothing of the thread can be restored: .* was gone/u);
  // It comes back, and is archived then.
  home.write(userRow(1, null, 'one'), userRow(2, 1, 'two'));
  await read.catchUp();
  await archiveAll(read);
  expect(read.ledger.archive.totals().absent).toEqual([]);
  using back = new Restored(read.ledger, home.home);
  expect(back.files.get(home.file)).toBe(sha256Of(home.file));
});

/** Runs the process and kills it after so many commits; whether it had finished. */
async function ingest(mode: 'small' | 'thread', home: string, ledger: string, killAfter: number): Promise<boolean> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'ingest-process.ts'), home, ledger, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (output.split('.').length > killAfter) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return output.endsWith('done');
}

test('whenever a reader is killed, the archive holds exactly the bytes that the cursors stand behind', async () => {
  const home = copyHome(path.join(fixtures, 'claude/05-subagents'));
  for (const more of ['claude/09-forks', 'codex/08-subagent-forked-history', 'codex/15-zstd-compressed'])
    fs.cpSync(path.join(fixtures, more), home, { recursive: true });
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-killed-'));
  const folder = path.join(root, 'ledger');
  const check = async (): Promise<void> => {
    const ledger = Ledger.open(folder, { readonly: false, now: 0, maySetAside: false });
    try {
      for (const light of ledger.sources.all()) {
        const row = ledger.sources.byNumber(light.number);
        if (row === undefined || row.native === null || row.path.endsWith('.zst')) continue;
        const pieces = [...ledger.archive.chunks.pieces(row.number, row.generation)];
        const bytes = Buffer.concat(pieces.map((piece) => (piece.ok ? piece.bytes : new Uint8Array(0))));
        expect(bytes.length).toBeGreaterThanOrEqual(row.offset);
        expect(bytes.equals(fs.readFileSync(row.path).subarray(0, bytes.length))).toBe(true);
      }
    } finally {
      await ledger.close();
    }
  };
  for (let after = 1; after < 8; after++) {
    const done = await ingest(after % 3 === 0 ? 'thread' : 'small', home, folder, after);
    await check();
    if (done) break;
  }
  expect(await ingest('thread', home, folder, Number.MAX_SAFE_INTEGER)).toBe(true);
  await check();
  await using read = new HomeLedger(home, {}, 'linux', { folder });
  const files = sessionFiles(read.ledger);
  using back = new Restored(read.ledger, home);
  expect(Object.fromEntries(back.files)).toEqual(Object.fromEntries(files));
  fs.rmSync(root, { recursive: true, force: true });
  fs.rmSync(home, { recursive: true, force: true });
}, 240_000);
