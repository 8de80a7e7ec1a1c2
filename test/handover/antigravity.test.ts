/**
 * A thread that goes to the terminal program agy as a conversation of its own database, because that was asked for by name: what is put where,
 * how it comes back, what is refused, and that nothing is left of one that was broken off. The program itself cannot be had.
 */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recoverHandovers } from '../../server/drive/recover.ts';
import { world } from '../../server/main/world.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import { AntigravityHome } from '../antigravity-home.ts';
import { copyHome, fixtures, HomeLedger } from '../home-ledger.ts';
import { addStore, agy, agyGoesOn, inStore, listed, neighbour } from './antigravity-store.ts';
import { handOver, homeWith } from './hand-over.ts';
import { KilledProcess } from './killed-process.ts';
import { ledgerOf, statusesOf, threadOf } from './read-home.ts';

const asked = { harness: 'antigravity', mode: 'native' } as const;

async function storeLedger(
  exchanges: readonly (readonly [string, string])[] = [['Build the cart.', 'Built.']],
): Promise<HomeLedger> {
  const home = homeWith({ exchanges });
  addStore(home);
  return ledgerOf({}, home);
}

/** Of everything below agy's folder: names, and what is in the files. */
function storeOf(home: string): readonly (readonly [string, string])[] {
  return fs
    .readdirSync(inStore(home), { recursive: true, withFileTypes: true })
    .map((entry) => [path.join(entry.parentPath, entry.name), entry.isFile()] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, isFile]) => [name, isFile ? fs.readFileSync(name, 'latin1') : ''] as const);
}

async function said(home: HomeLedger): Promise<string> {
  const { session, current_conversation: conversation } = threadOf(home);
  return JSON.stringify((await contextOf(home.ledger, session, conversation)).map(({ message }) => message));
}

describe('asked for by name', () => {
  test('it is a database, a row of the index and a folder, and the program is started on it', async () => {
    await using home = await storeLedger();
    const before = storeOf(home.home).map(([name]) => name);
    const result = await handOver(home, asked);
    const { nativeId, path: file } = result;
    expect(file).toBe(inStore(home.home, 'conversations', `${nativeId}.db`));
    expect(result.command.argv).toEqual(['agy', '--conversation', nativeId]);
    expect(result.warnings.join(' ')).toMatch(/Not verified: .*never tried with agy itself/u);
    expect(result.lease).toEqual({ epoch: 1, holder: 'antigravity' });
    const made = storeOf(home.home).map(([name]) => name);
    expect(made.filter((name) => !before.includes(name))).toEqual([inStore(home.home, 'brain', nativeId), file]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(listed(home.home).get(nativeId)).toEqual({
      conversation_id: nativeId,
      title: 'Build the cart.',
      preview: 'Build the cart.',
      step_count: 3,
      last_modified_time: '2026-11-30 00:00:01+00:00',
      workspace_uris: '["file:///home/user/shop"]',
      status: '',
      source: 'antigravity-cli',
      project_id: 'default-cli-project',
      agent_name: '',
      parent_conversation_id: '',
      nesting_depth: 0,
      battle_id: '',
      winning_conversation_id: '',
      not_fully_idle: 0,
      killed: 0,
      last_user_input_time: '2026-11-30 00:00:01+00:00',
      last_user_input_step_index: 1,
      app_data_dir: 'antigravity-cli',
    });
    expect(listed(home.home).size).toBe(2);
    const db = new Sqlite(file, { readonly: true });
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.prepare('SELECT step_type FROM steps ORDER BY idx').pluck().all()).toEqual([14, 14, 15]);
    db.close();
  });

  test('nothing of it is read again, and what agy says then goes on with the thread', async () => {
    await using home = await storeLedger();
    const { path: file } = await handOver(home, asked);
    const { turns } = threadOf(home);
    expect(await home.catchUp()).toMatchObject({ entries: 0 });
    expect(home.faults).toEqual([]);
    agyGoesOn(file, 'Paint it green.', 'Green.');
    await home.catchUp();
    expect(home.faults).toEqual([]);
    expect(threadOf(home)).toMatchObject({ harness: 'antigravity', turns: turns + 1, lease_epoch: 1 });
    expect(await said(home)).toMatch(/Paint it green\..*Green\./su);
    expect(home.ledger.threads.count()).toBe(2);
    // And from there into another one again: agy's own conversation is not gone on with by Loom.
    expect(await handOver(home, { harness: 'codex', mode: null })).toMatchObject({ mode: 'native', lease: { epoch: 2 } });
    await home.catchUp();
    const back = await handOver(home, { harness: 'antigravity', mode: null });
    expect(back).toMatchObject({ mode: 'prompt' });
    expect(back.warnings.join(' ')).toContain('which Loom does not change');
  });

  test('the archive has the very bytes', async () => {
    await using home = await storeLedger();
    const { path: file } = await handOver(home, asked);
    await home.catchUp();
    const { number = 0 } = home.ledger.sources.byPath(file) ?? {};
    expect(home.ledger.archive.versions.newest(number)).toBeDefined();
  });

  test('a dry run changes nothing', async () => {
    await using home = await storeLedger();
    const was = storeOf(home.home);
    await handOver(home, { ...asked, dryRun: true });
    expect(storeOf(home.home)).toEqual(was);
  });

  test('the index is written while the program has it open, behind its own writing', async () => {
    await using home = await storeLedger();
    const program = new Sqlite(inStore(home.home, 'conversation_summaries.db'));
    onTestFinished(() => void program.close());
    program.pragma('journal_mode = WAL');
    program.prepare('UPDATE conversation_summaries SET title = ?').run('As agy calls it');
    const { nativeId } = await handOver(home, asked);
    expect(program.prepare('SELECT title FROM conversation_summaries ORDER BY title').pluck().all()).toEqual([
      'As agy calls it',
      'Build the cart.',
    ]);
    expect(listed(home.home).has(nativeId)).toBe(true);
  });

  test('words of any script, empty and very long ones arrive', async () => {
    const words = ['Zeichne 🐟 und \u202ertl', '一二三'.repeat(2000), 'a\u0000b', '\ud800 half', 'x'.repeat(30_000)];
    await using home = await storeLedger(words.map((word) => [word, `Answer to ${word.slice(0, 10)}`]));
    const { nativeId } = await handOver(home, asked);
    expect(listed(home.home).get(nativeId)?.['step_count']).toBeGreaterThan(8);
    expect(await home.catchUp()).toMatchObject({ entries: 0 });
  });
});

test('without being asked for, it gets the brief', async () => {
  await using home = await storeLedger();
  const was = storeOf(home.home);
  expect(await handOver(home, { harness: 'antigravity', mode: null })).toMatchObject({ mode: 'prompt', nativeId: '' });
  expect(storeOf(home.home)).toEqual(was);
});

describe('refused, with nothing changed', () => {
  const refusals: Readonly<
    Record<string, { readonly prepare?: (home: string) => void; readonly version?: string | null; readonly why: RegExp }>
  > = {
    'no home': { prepare: (home) => fs.rmSync(inStore(home), { recursive: true }), why: /no conversation in .* yet/u },
    'no conversation': {
      prepare: (home) => fs.rmSync(inStore(home, 'conversations', `${neighbour}.db`)),
      why: /no conversation in .* yet/u,
    },
    'no conversation that the index lists': {
      prepare: (home) => change(inStore(home, 'conversation_summaries.db'), 'DELETE FROM conversation_summaries'),
      why: /None of agy’s conversations/u,
    },
    'no index': { prepare: (home) => fs.rmSync(inStore(home, 'conversation_summaries.db')), why: /cannot be read just now/u },
    'an index that is no database': {
      prepare: (home) => fs.writeFileSync(inStore(home, 'conversation_summaries.db'), 'junk '.repeat(2000)),
      why: /cannot be read just now/u,
    },
    'an index with a column more': {
      prepare: (home) =>
        change(inStore(home, 'conversation_summaries.db'), 'ALTER TABLE conversation_summaries ADD COLUMN raw_summary BLOB'),
      why: /list of conversations is of a form/u,
    },
    'an index with a trigger': {
      prepare: (home) =>
        change(
          inStore(home, 'conversation_summaries.db'),
          'CREATE TRIGGER t AFTER INSERT ON conversation_summaries BEGIN DELETE FROM conversation_summaries; END',
        ),
      why: /list of conversations is of a form/u,
    },
    'a conversation with a table more': {
      prepare: (home) => change(inStore(home, 'conversations', `${neighbour}.db`), 'CREATE TABLE more (x)'),
      why: /keeps its conversations in a form/u,
    },
    'a conversation of another version': {
      prepare: (home) => change(inStore(home, 'conversations', `${neighbour}.db`), 'PRAGMA user_version = 2'),
      why: /keeps its conversations in a form/u,
    },
    'a conversation whose steps say nothing': {
      prepare: (home) => change(inStore(home, 'conversations', `${neighbour}.db`), "UPDATE steps SET step_payload = x'ff'"),
      why: /keeps its conversations in a form/u,
    },
    'steps of another format': {
      prepare: (home) => change(inStore(home, 'conversations', `${neighbour}.db`), 'UPDATE steps SET step_format = 1'),
      why: /keeps its conversations in a form/u,
    },
    'a conversation that is none of the terminal’s': {
      prepare: (home) => change(inStore(home, 'conversations', `${neighbour}.db`), 'UPDATE trajectory_meta SET source = 1'),
      why: /keeps its conversations in a form/u,
    },
    'a version that is too old': { version: '1.0.6', why: /agy 1\.0\.6, and only 1\.0\.7 to 1\.2\.11/u },
    'a version that is too new': { version: '1.5.14', why: /agy 1\.5\.14, and only/u },
    'a version that does not tell': { version: 'unknown', why: /only 1\.0\.7 to 1\.2\.11/u },
    'no version': { version: null, why: /version of agy cannot be told/u },
  };

  test.each(Object.entries(refusals))('%s', async (_name, { prepare, version = agy.version, why }) => {
    await using home = await storeLedger();
    prepare?.(home.home);
    const was = fs.existsSync(inStore(home.home)) ? storeOf(home.home) : [];
    await expect(handOver(home, asked, { harnesses: [{ ...agy, version }] })).rejects.toMatchObject({
      id: 'C004',
      detail: expect.stringMatching(why) as string,
    });
    expect(fs.existsSync(inStore(home.home)) ? storeOf(home.home) : []).toEqual(was);
    expect(threadOf(home)).toMatchObject({ harness: 'claude', lease_epoch: 0 });
    expect(home.ledger.liveSessions()).toEqual([]);
  });

  const id = '07070707-0707-4707-8707-070707070707';
  const known = { randomBytes: (length: number) => Buffer.alloc(length, 7) };

  test.each([
    ['a conversation of that name', ['conversations', `${id}.db`], /There is a conversation already/u],
    ['an encrypted one of that name', ['conversations', `${id.toUpperCase()}.pb`], /There is a conversation already/u],
    ['a lock of that name', ['presence', `${id}.lock`], /has it open/u],
  ] as const)('%s', async (_name, parts, why) => {
    await using home = await storeLedger();
    fs.mkdirSync(path.dirname(inStore(home.home, ...parts)), { recursive: true });
    fs.writeFileSync(inStore(home.home, ...parts), 'x');
    const was = storeOf(home.home);
    await expect(handOver(home, asked, known)).rejects.toMatchObject({
      id: 'C004',
      detail: expect.stringMatching(why) as string,
    });
    expect(storeOf(home.home)).toEqual(was);
  });

  test('an index that is being written to all the time', async () => {
    await using home = await storeLedger();
    const program = new Sqlite(inStore(home.home, 'conversation_summaries.db'));
    onTestFinished(() => void program.close());
    program.pragma('journal_mode = WAL');
    program.exec('BEGIN IMMEDIATE');
    const was = storeOf(home.home).map(([name]) => name);
    await expect(handOver(home, asked)).rejects.toMatchObject({ id: 'C005', detail: expect.stringMatching(/locked/u) as string });
    program.exec('ROLLBACK');
    expect(storeOf(home.home).map(([name]) => name)).toEqual(was);
    expect(await statusesOf(home)).toEqual(['refused']);
    expect(listed(home.home).size).toBe(1);
  });

  test('a brain that leads elsewhere', async () => {
    await using home = await storeLedger();
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-elsewhere-'));
    onTestFinished(() => fs.rmSync(elsewhere, { recursive: true }));
    fs.rmSync(inStore(home.home, 'brain'), { recursive: true });
    fs.symlinkSync(elsewhere, inStore(home.home, 'brain'));
    await expect(handOver(home, asked)).rejects.toMatchObject({ id: 'C005' });
    expect(listed(home.home).size).toBe(1);
    expect(fs.readdirSync(inStore(home.home, 'conversations'))).toEqual([`${neighbour}.db`]);
  });
});

/** As whoever opens the database does. */
function change(file: string, statement: string): void {
  const db = new Sqlite(file, { fileMustExist: true });
  db.exec(statement);
  db.close();
}

describe('killed', () => {
  const session = '6d4156ad-cac4-4341-89eb-59b76b9343d8';
  const direction = { session, to: 'antigravity' } as const;
  let program: KilledProcess;
  beforeAll(async () => {
    program = await KilledProcess.build('antigravity');
  });
  afterAll(() => program.remove());

  function placeOf(): { readonly home: string; readonly folder: string } {
    const home = copyHome(path.join(fixtures, 'claude/02-print-tools'));
    addStore(home);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
    onTestFinished(() => {
      for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
    });
    return { home, folder };
  }

  async function opened({ home, folder }: { readonly home: string; readonly folder: string }): Promise<HomeLedger> {
    const ledger = new HomeLedger(home, {}, 'linux', { folder });
    await recoverHandovers(ledger.ledger, world);
    await ledger.catchUp();
    return ledger;
  }

  /** The index's file number changes with each of its transactions: its rows say whether anything is left. */
  function contentOf(home: string): unknown {
    const index = inStore(home, 'conversation_summaries.db');
    return { files: storeOf(home).filter(([name]) => name !== index), rows: [...listed(home).values()] };
  }

  const before = ['intended', 'folderMade', 'unnamed', 'named', 'copying', 'rowPut', 'written', 'settling'];
  test.for(before)('when it was %s, nothing of it is left', async (step) => {
    const place = placeOf();
    const was = contentOf(place.home);
    expect(await program.run(place, direction, step), step).toBe('SIGKILL');
    await using home = await opened(place);
    expect(contentOf(place.home)).toEqual(was);
    expect(home.ledger.handoffs.pending()).toEqual([]);
    expect(home.ledger.liveSessions()).toEqual([]);
    expect(home.ledger.threads.count()).toBe(2);
    expect(await handOver(home, { ...asked, thread: session })).toMatchObject({ lease: { epoch: 1 } });
    expect(await home.catchUp()).toMatchObject({ entries: 0 });
  });

  test('while it is taken back, the next owner goes on with that', async () => {
    const place = placeOf();
    const was = contentOf(place.home);
    for (const step of ['written', 'takingBack', 'rowRemoved', 'takenBack'])
      expect(await program.run(place, direction, step), step).toBe('SIGKILL');
    await using home = await opened(place);
    expect(contentOf(place.home)).toEqual(was);
    expect(home.ledger.handoffs.pending()).toEqual([]);
  });

  test('when it is settled, it is done', async () => {
    const place = placeOf();
    expect(await program.run(place, direction, 'settled')).toBe('SIGKILL');
    await using home = await opened(place);
    expect(listed(place.home).size).toBe(2);
    expect(home.ledger.threads.newest(10).map(({ harness }) => harness)).toContain('antigravity');
    expect(home.ledger.threads.count()).toBe(2);
  });

  test.each(['gone on with', 'open'])('what agy has %s by then stays, as a thread of its own', async (how) => {
    const place = placeOf();
    expect(await program.run(place, direction, 'written')).toBe('SIGKILL');
    const [id = ''] = [...listed(place.home).keys()].filter((key) => key !== neighbour);
    const file = inStore(place.home, 'conversations', `${id}.db`);
    if (how === 'gone on with') agyGoesOn(file, 'Paint it green.', 'Green.');
    else {
      fs.mkdirSync(inStore(place.home, 'presence'), { recursive: true });
      fs.writeFileSync(inStore(place.home, 'presence', `${id}.lock`), '');
    }
    await using home = await opened(place);
    expect(fs.existsSync(file)).toBe(true);
    expect(fs.existsSync(inStore(place.home, 'brain', id))).toBe(true);
    expect(listed(place.home).has(id)).toBe(true);
    expect(home.ledger.threads.count()).toBe(3);
    expect(home.ledger.liveSessions()).toEqual([]);
  });
});

test('a home of another making is refused', async () => {
  using made = new AntigravityHome();
  fs.cpSync(homeWith({ exchanges: [['Build the cart.', 'Built.']] }), made.home, { recursive: true });
  made.summary(neighbour, 'A conversation');
  await using home = await ledgerOf({}, made.home);
  await expect(handOver(home, asked)).rejects.toMatchObject({ id: 'C004' });
});
