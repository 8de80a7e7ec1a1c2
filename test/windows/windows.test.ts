import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { assistantRow, TestHome, userRow } from '../ingest/claude-session.ts';

type Said = Record<string, unknown>;

class Window {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  #wake: (() => void)[] = [];

  constructor(home: string, ledger: string) {
    this.child = spawn(process.execPath, [path.join(import.meta.dirname, 'window-process.ts'), home, ledger], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let rest = '';
    this.child.stdout?.on('data', (data: Buffer) => {
      rest += data.toString();
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.said.push(JSON.parse(line) as Said);
      for (const wake of this.#wake.splice(0)) wake();
    });
    open.push(this);
  }

  /** The first thing said from `from` on that fits. Fails after 20 s. */
  async hears(fits: (said: Said) => boolean, from = 0): Promise<Said> {
    const end = Date.now() + 20_000;
    for (;;) {
      const found = this.said.slice(from).find(fits);
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`not heard; said: ${JSON.stringify(this.said).slice(0, 3000)}`);
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        setTimeout(resolve, 500);
      });
    }
  }

  kill(signal: NodeJS.Signals): Promise<void> {
    return new Promise((resolve) => {
      this.child.once('close', () => resolve());
      this.child.kill(signal);
    });
  }
}

const open: Window[] = [];
afterEach(async () => {
  for (const window of open.splice(0))
    if (window.child.exitCode === null && window.child.signalCode === null) await window.kill('SIGKILL');
});

const isView = (said: Said): boolean => 'view' in said;
const tells =
  (text: string) =>
  (said: Said): boolean =>
    'events' in said && JSON.stringify(said['events']).includes(text);

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
