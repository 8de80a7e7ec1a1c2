import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Ingest } from '../../server/ingest/ingest.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { environmentOf } from '../../server/main/environment.ts';
import type { ImportProgress } from '../../server/protocol/views.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';
import { assistantRow, sessionId, TestHome, userRow, uuid } from './claude-session.ts';

/** Claude's shuttle with a fault in it: it cannot cope with a record that says so. */
function faulty(on: 'identify' | 'read'): readonly Shuttle[] {
  return shuttles.map((shuttle): Shuttle => {
    if (shuttle.harness !== 'claude') return shuttle;
    const { reader } = shuttle;
    const check = (records: readonly object[]): void => {
      if (JSON.stringify(records).includes('unheard of')) throw new TypeError('nobody thought of this');
    };
    return {
      ...shuttle,
      reader: {
        ...reader,
        identify: (file, head, sidecars) => {
          if (on === 'identify') check(head);
          return reader.identify(file, head, sidecars);
        },
        read: (state, records) => {
          if (on === 'read') check(records);
          return reader.read(state, records);
        },
      },
    };
  });
}

for (const on of ['identify', 'read'] as const)
  test(`a file that its shuttle fails on (${on}) is named once, and everything else is read`, async () => {
    using home = new TestHome();
    home.write(userRow(1, null, 'something unheard of'), assistantRow(2, 1, 'yes'));
    const other = path.join(home.folder, 'aaaaaaaa-1111-4111-8111-000000000001.jsonl');
    const good = userRow(7, null, 'usual').replaceAll(sessionId, 'aaaaaaaa-1111-4111-8111-000000000001');
    fs.writeFileSync(other, good);
    await using made = new HomeLedger(home.home);
    const said: string[] = [];
    const progress: (ImportProgress | null)[] = [];
    const ingest = new Ingest({
      ledger: made.ledger,
      shuttles: faulty(on),
      environment: environmentOf(home.home, {}, 'linux'),
      sidecars: new DiskSidecars(),
      now: () => Date.now(),
      onCommit: () => undefined,
      onProgress: (at) => progress.push(at),
      onFault: (id, detail) => said.push(`${id} ${detail}`),
      onHealed: (id, detail) => said.push(`healed ${id} ${detail}`),
      onThreadChanged: () => undefined,
    });
    await ingest.pass();
    expect(said.filter((line) => line.startsWith('F'))).toEqual([`F003 ${home.file}: nobody thought of this`]);
    expect(progress.at(-1)).toBeNull();
    expect(made.ledger.threads.newest(10).map(({ title }) => title)).toEqual(['usual']);
    said.length = 0;
    await ingest.pass();
    expect(said).toEqual([]);
    // Another version of the file is another matter.
    home.write(userRow(1, null, 'as usual'), assistantRow(2, 1, 'yes'));
    await ingest.pass();
    expect(said).toContain(`healed F003 ${home.file}`);
    expect(made.ledger.threads.newest(10).map(({ title }) => title)).toContain('as usual');
    await ingest.stop();
  });

test('a file that the ledger refuses is named, and the files beside it are read in the same pass or the next', async () => {
  using home = new TestHome();
  home.write(userRow(1, null, 'one'), assistantRow(2, 1, 'yes'));
  const other = path.join(home.folder, 'aaaaaaaa-1111-4111-8111-000000000001.jsonl');
  fs.writeFileSync(other, userRow(7, null, 'usual').replaceAll(sessionId, 'aaaaaaaa-1111-4111-8111-000000000001'));
  await using made = new HomeLedger(home.home);
  await made.catchUp();
  // As if what it stands behind had never been there.
  const source = made.ledger.sources.byPath(home.file);
  const [branch] = made.ledger.branches.byNative(source?.native ?? 0);
  if (source === undefined || branch === undefined) throw new Error('the session was not read');
  made.ledger.transact(() => {
    made.ledger.branches.put({ ...branch, conversation: 999, last_content: 0 });
    made.ledger.keys.putAll(branch.session, [[uuid(50), { conversation: 999, entry: 5 }]]);
  });
  home.append(userRow(51, 50, 'on'));
  fs.appendFileSync(other, assistantRow(8, 7, 'also').replaceAll(sessionId, 'aaaaaaaa-1111-4111-8111-000000000001'));
  await made.catchUp();
  await made.catchUp();
  expect(made.faults.filter((fault) => fault.startsWith('F003'))).toEqual([`F003 ${home.file}: there is no conversation 999`]);
  expect(made.ledger.sources.byPath(home.file)?.status).toBe('unreadable');
  expect(made.ledger.sources.byPath(other)).toMatchObject({ status: 'current', offset: fs.statSync(other).size });
});
