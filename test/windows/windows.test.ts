import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readOwner } from '../../server/main/owner-record.ts';
import { assistantRow, TestHome, userRow } from '../ingest/claude-session.ts';
import { closeWindows, isView, tells, Window } from './window.ts';

afterEach(closeWindows);

test('two windows see one ledger live; when the owner is killed the other takes over and goes on without a hole', async () => {
  using home = new TestHome();
  const ledger = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-windows-'));
  home.write(userRow(1, null, 'first prompt'), assistantRow(2, 1, 'one'));
  const first = new Window(home.home, ledger);
  expect(await first.hears(isView)).toMatchObject({ owner: true });
  const second = new Window(home.home, ledger);
  expect(await second.hears(isView)).toMatchObject({ owner: false });

  home.append(userRow(3, 2, 'seen by both') + assistantRow(4, 3, 'two'));
  await first.hears(tells('"turns":2'));
  await second.hears(tells('"turns":2'));

  const before = second.said.length;
  await first.kill('SIGKILL');
  const view = await second.hears(isView, before);
  expect(view).toMatchObject({ owner: true });
  expect(JSON.stringify(view)).toContain('"turns":2');

  home.append(userRow(5, 4, 'after the change'));
  await second.hears(tells('"turns":3'), before);

  const third = new Window(home.home, ledger);
  expect(await third.hears(isView)).toMatchObject({ owner: false });
  const numbers = second.said.filter((said) => said['subscription'] === 'list-2').map((said) => said['seq']);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  await third.kill('SIGTERM');
  await second.kill('SIGTERM');
  fs.rmSync(ledger, { recursive: true, force: true });
}, 90_000);

test('an owner that is killed while it reads is followed within two seconds, and nothing is lost or read twice', async () => {
  using home = new TestHome();
  const ledger = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-windows-'));
  const sessions = 40;
  for (let n = 0; n < sessions; n++) {
    const id = `aaaaaaaa-1111-4111-8111-${String(n).padStart(12, '0')}`;
    const rows = [
      userRow(1, null, `prompt ${n}`),
      ...Array.from({ length: 60 }, (_, i) => assistantRow(i + 2, i + 1, `answer ${i} `.repeat(400))),
    ];
    const own = rows.map((row) => row.replaceAll('00000000-0000-4000-8000', `0000${String(n).padStart(4, '0')}-0000-4000-8000`));
    fs.writeFileSync(path.join(home.folder, `${id}.jsonl`), own.join('').replaceAll('5baaea07-d3e0-4173-9e63-d58b3998a4c4', id));
  }
  const first = new Window(home.home, ledger);
  const second = new Window(home.home, ledger);
  await first.hears(isView);
  await second.hears(isView);
  const [owner, guest] = first.said.some((said) => said['owner'] === true) ? [first, second] : [second, first];
  await owner.hears(tells('"title":"prompt'));
  const before = guest.said.length;
  const killedAt = Date.now();
  await owner.kill('SIGKILL');
  const view = await guest.hears(isView, before);
  expect(view).toMatchObject({ owner: true });
  expect((readOwner(ledger)?.since ?? Infinity) - killedAt).toBeLessThan(2000);
  // It was in the middle: otherwise this test shows nothing.
  const listed = (view['view'] as { threads: readonly unknown[] }).threads.length;
  expect(listed).toBeLessThan(sessions);
  await guest.hears(() => {
    const all = new Set(
      guest.said.slice(before).flatMap((said) => JSON.stringify(said).match(/"title":"prompt \d+"[^{}]*?"entries":61\b/gu) ?? []),
    );
    return all.size === sessions;
  }, before);
  await guest.kill('SIGTERM');
  fs.rmSync(ledger, { recursive: true, force: true });
}, 90_000);
