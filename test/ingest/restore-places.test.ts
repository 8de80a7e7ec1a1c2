/** Where restored files may be written, and where not: nothing that is there is replaced, no harness's store is touched unasked. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../server/main/environment.ts';
import { restoreNative } from '../../server/main/restore-native.ts';
import type { RestoreResult } from '../../server/protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';
import { OpenclawHome, user } from '../openclaw-home.ts';
import { sha256Of } from './archive-home.ts';
import { assistantRow, TestHome, userRow } from './claude-session.ts';

function restore(read: HomeLedger, folder: string | null): RestoreResult {
  const [thread] = read.ledger.threads.newest(1);
  if (thread === undefined) throw new Error('there is no thread');
  return restoreNative({ ledger: read.ledger, shuttles, environment: environmentOf(read.home, {}, 'linux') }, { thread, folder });
}

class Folder implements Disposable {
  readonly at = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-place-'));
  [Symbol.dispose](): void {
    fs.rmSync(this.at, { recursive: true, force: true });
  }
}

test('a file that is there is never replaced, whatever it is', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  using to = new Folder();
  const first = restore(read, to.at);
  const [file] = first.files;
  expect(file?.path).toBe(path.join(to.at, path.relative(home.home, home.file)));
  expect(fs.statSync(file?.path ?? '').mtimeMs).toBeCloseTo(fs.statSync(home.file).mtimeMs, -1);
  fs.writeFileSync(file?.path ?? '', 'mine');
  expect(restore(read, to.at)).toEqual({
    files: [],
    missing: [{ path: home.file, reason: `is not restored: ${file?.path} is there already` }],
  });
  expect(fs.readFileSync(file?.path ?? '', 'utf8')).toBe('mine');
  fs.rmSync(file?.path ?? '');
  fs.symlinkSync('/nowhere', file?.path ?? '');
  expect(restore(read, to.at).files).toEqual([]);
});

test("a harness's own store is refused, by its name and through a link, unless each file is to lie where it lay", async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'first'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  const before = sha256Of(home.file);
  fs.rmSync(home.file);
  await read.catchUp();
  using to = new Folder();
  const link = path.join(to.at, 'link');
  fs.symlinkSync(path.join(home.home, '.claude'), link);
  for (const folder of [home.home, path.join(home.home, '.claude', 'projects', 'x'), path.join(link, 'projects')])
    expect(() => restore(read, folder), folder).toThrow(/where an agent keeps its own sessions/u);
  expect(fs.readdirSync(home.folder)).toEqual([]);
  expect(restore(read, null)).toMatchObject({ files: [{ path: home.file, sha256: before }], missing: [] });
  await read.catchUp();
  const [thread] = read.ledger.threads.newest(1);
  expect(thread).toMatchObject({ source_gone: 0, entries: 2 });
  expect(restore(read, null)).toMatchObject({ files: [], missing: [{ path: home.file }] });
});

test('a folder that leads out through a link is not followed', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'));
  await using read = new HomeLedger(home.home);
  await read.catchUp();
  using to = new Folder();
  using elsewhere = new Folder();
  fs.symlinkSync(elsewhere.at, path.join(to.at, '.claude'));
  expect(restore(read, to.at)).toMatchObject({ files: [], missing: [{ path: home.file }] });
  expect(fs.readdirSync(elsewhere.at)).toEqual([]);
});

test('a database is only written together with its log, and not beside a log of another one', async () => {
  using openclaw = new OpenclawHome();
  const id = '01a0667f-1680-79a2-81b3-ff254144000a';
  openclaw.session(id);
  openclaw.event(id, 1, user(id, 1, null, 'first'));
  await using read = new HomeLedger(openclaw.home);
  await read.catchUp();
  using to = new Folder();
  const place = path.join(to.at, path.relative(openclaw.home, openclaw.file));
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(`${place}-wal`, 'of another database');
  expect(restore(read, to.at)).toMatchObject({
    files: [],
    missing: [{ reason: `is not restored: ${place}-wal is there already` }],
  });
  expect(fs.readdirSync(path.dirname(place))).toEqual([path.basename(`${place}-wal`)]);
  fs.rmSync(`${place}-wal`);
  expect(restore(read, to.at).files.map((file) => path.basename(file.path))).toEqual([
    'openclaw-agent.sqlite',
    'openclaw-agent.sqlite-wal',
  ]);
});
