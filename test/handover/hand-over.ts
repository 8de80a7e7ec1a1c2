/** For tests of hand-overs: a home with one session in it, and a hand-over over its ledger. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { continueThread } from '../../server/drive/continue.ts';
import type { ContinueDependencies } from '../../server/drive/continue.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { databasesIn } from '../../server/main/databases.ts';
import { DiskSidecars } from '../../server/main/sidecars.ts';
import { world } from '../../server/main/world.ts';
import type { ContinueParams, ContinueResult } from '../../server/protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { agy } from './antigravity-store.ts';

export const id = '5c94356c-4c07-4e12-8aaa-4ca2825e995d';

export interface Said {
  readonly cwd?: string;
  readonly branch?: string;
  readonly exchanges: readonly (readonly [string, string])[];
}

/** A home with one session of Claude Code in it. */
export function homeWith({ cwd = '/home/user/shop', branch = 'main', exchanges }: Said): string {
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

export function paramsOf(params: Partial<ContinueParams>): ContinueParams {
  return { thread: id, harness: 'codex', mode: 'native', dryRun: false, baton: null, force: false, confirmed: 'once', ...params };
}

let asked = 0;
/** Of one hand-over: it has a moment of its own. */
export function dependencies({ ledger, home, handovers }: HomeLedger): ContinueDependencies {
  const now = Date.UTC(2026, 10, 30) + ++asked * 1000;
  return {
    ledger,
    shuttles,
    environment: environmentOf(home, {}, 'linux'),
    sidecars: new DiskSidecars(),
    databases: databasesIn(ledger.folder),
    world,
    handovers,
    holders: () => [],
    harnesses: [agy],
    now: () => now,
    // Other processes make ids for the same ledger.
    randomBytes,
    salt: 'salt',
    facts: () => Promise.resolve(null),
  };
}

export async function handOver(
  home: HomeLedger,
  params: Partial<ContinueParams>,
  over: Partial<ContinueDependencies> = {},
): Promise<ContinueResult> {
  return continueThread(paramsOf(params), { ...dependencies(home), ...over });
}
