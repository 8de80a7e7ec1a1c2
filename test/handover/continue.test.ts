/** Hand-overs over real ledgers and files: what goes, what does not, and what the person is told of it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { continueThread } from '../../server/drive/continue.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import { world } from '../../server/main/world.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import type { ContinueParams, ContinueResult } from '../../server/protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';

const id = '5c94356c-4c07-4e12-8aaa-4ca2825e995d';

interface Said {
  readonly cwd?: string;
  readonly branch?: string;
  readonly exchanges: readonly (readonly [string, string])[];
}

/** A home with one session of Claude Code in it. */
function homeWith({ cwd = '/home/user/shop', branch = 'main', exchanges }: Said): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-home-'));
  const folder = path.join(home, '.claude/projects/-home-user-shop');
  fs.mkdirSync(folder, { recursive: true });
  let parent: string | null = null;
  const lines = exchanges.flat().map((text, index) => {
    const person = index % 2 === 0;
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const message = person
      ? { role: 'user', content: text }
      : {
          id: `msg_${index}`,
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
        };
    const record = {
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId: id,
      version: '2.1.230',
      gitBranch: branch,
      type: person ? 'user' : 'assistant',
      message,
      uuid,
      timestamp: new Date(Date.UTC(2026, 8, 10) + index * 1000).toISOString(),
    };
    parent = uuid;
    return JSON.stringify(record);
  });
  fs.writeFileSync(path.join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  return home;
}

let made = 0;
async function handOver({ ledger, home }: HomeLedger, params: Partial<ContinueParams>): Promise<ContinueResult> {
  return continueThread(
    { thread: id, harness: 'codex', mode: 'native', dryRun: false, baton: null, force: false, ...params },
    {
      ledger,
      shuttles,
      environment: environmentOf(home, {}, 'linux'),
      sidecars: new DiskSidecars(),
      world,
      holders: () => [],
      harnesses: [],
      now: () => Date.UTC(2026, 10, 30) + made * 1000,
      randomBytes: (length) => new Uint8Array(length).fill(++made),
      salt: 'salt',
      facts: () => Promise.resolve(null),
    },
  );
}

async function messagesOf({ ledger }: HomeLedger, thread: string): Promise<readonly string[]> {
  const row = ledger.threads.byId(thread);
  if (row === undefined) throw new Error('no such thread');
  const context = await contextOf(ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
  return context.map(({ message }) => JSON.stringify(message.content));
}

const batons = (texts: readonly string[]): number => texts.filter((text) => text.includes('# Hand-over from')).length;

test('a thread that went to and fro carries its newest baton and none of the older ones', async () => {
  await using home = new HomeLedger(homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  let result = await handOver(home, { harness: 'codex' });
  for (const harness of ['claude', 'codex', 'claude'] as const) result = await handOver(home, { harness });
  expect(batons(fs.readFileSync(result.path, 'utf8').split('\n'))).toBe(1);
  const given = await messagesOf(home, result.thread);
  expect(batons(given)).toBe(1);
  expect(given.filter((text) => text.includes('"Build the cart."'))).toHaveLength(1);
});

test('what a person wrote into a baton is not lost at the next hand-over', async () => {
  await using home = new HomeLedger(homeWith({ exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  await handOver(home, { harness: 'codex', baton: '# Hand-over from me\nThe tax must be rounded up.' });
  const next = await handOver(home, { harness: 'claude' });
  expect(fs.readFileSync(next.path, 'utf8')).toContain('The tax must be rounded up.');
  expect((await messagesOf(home, next.thread)).join('\n')).toContain('The tax must be rounded up.');
});

test('the person is told what goes, not what there was', async () => {
  const long = Array.from({ length: 60 }, (_, i): readonly [string, string] => [`Ask ${i}.`, `${i} `.repeat(20_000)]);
  await using home = new HomeLedger(homeWith({ exchanges: long }));
  await home.catchUp();
  for (const harness of ['codex', 'claude'] as const) {
    const { disclosure, path: file } = await handOver(home, { harness, dryRun: true });
    expect(fs.existsSync(file)).toBe(false);
    expect(disclosure.bytes).toBeLessThan(700_000);
    expect(disclosure.bytes).toBeGreaterThan(400_000);
    expect(disclosure.messages).toBeLessThan(60);
  }
});

test('a branch whose name holds a secret is not named in the session that is written', async () => {
  const branch = 'fix/ghp_FAKE0123456789abcdefFAKE0123456789ab';
  await using home = new HomeLedger(homeWith({ branch, exchanges: [['Build the cart.', 'Built.']] }));
  await home.catchUp();
  for (const harness of ['codex', 'claude'] as const) {
    const { path: file } = await handOver(home, { harness });
    expect(fs.readFileSync(file, 'utf8')).not.toContain('FAKE0123456789');
  }
});

test('a thread whose records name no folder goes on at home, and that is said', async () => {
  for (const cwd of ['', 'shop', '.']) {
    await using home = new HomeLedger(homeWith({ cwd, exchanges: [['Build the cart.', 'Built.']] }));
    await home.catchUp();
    for (const harness of ['codex', 'claude'] as const) {
      const { command, warnings } = await handOver(home, { harness });
      expect(command.cwd).toBe(home.home);
      expect(warnings.join(' ')).toContain('do not say which folder');
    }
  }
});
