/** For tests: one session in which a person typed given prompts, in the form of each harness; every answer is "Done <n>.". */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { AntigravityHome, answer as stepAnswer, prompt as stepPrompt } from '../antigravity-home.ts';
import { answer as eventAnswer, OpenclawHome, user as eventUser } from '../openclaw-home.ts';

export const madeId = '01a05c32-5e80-7fc7-99fd-820ed783cd00';
const at = (n: number): string => new Date(Date.UTC(2026, 8, 1, 9, 0, n)).toISOString();
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Where a session of a harness that writes lines lies below the home, and its records. */
export interface MadeLines {
  readonly file: string;
  readonly lines: readonly object[];
}
type LineHarness = 'claude' | 'codex' | 'pi' | 'gemini';

export const madeLines: Readonly<Record<LineHarness, (prompts: readonly string[]) => MadeLines>> = {
  claude: (prompts) => ({
    file: `.claude/projects/-home-user-shop/${madeId}.jsonl`,
    lines: prompts.flatMap((text, i) => [
      row('user', 2 * i + 1, { role: 'user', content: text }),
      row('assistant', 2 * i + 2, { id: `m${i}`, role: 'assistant', content: [{ type: 'text', text: `Done ${i}.` }] }),
    ]),
  }),
  codex: (prompts) => ({
    file: `.codex/sessions/2026/09/01/rollout-2026-09-01T09-00-00-${madeId}.jsonl`,
    lines: [
      { timestamp: at(0), type: 'session_meta', payload: { id: madeId, timestamp: at(0), cwd: '/home/user/shop', originator: 'codex-tui' } },
      ...prompts.flatMap((text, i) => [item(i, 'user', 'input_text', text), item(i, 'assistant', 'output_text', `Done ${i}.`)]),
    ],
  }),
  pi: (prompts) => ({
    file: `.pi/agent/sessions/--home-user-shop--/2026-09-01T09-00-00-000Z_${madeId}.jsonl`,
    lines: [
      { type: 'session', version: 3, id: madeId, timestamp: at(0), cwd: '/home/user/shop' },
      ...prompts.flatMap((text, i) => [
        message(2 * i + 1, { role: 'user', content: [{ type: 'text', text }] }),
        message(2 * i + 2, { role: 'assistant', content: [{ type: 'text', text: `Done ${i}.` }], stopReason: 'stop' }),
      ]),
    ],
  }),
  gemini: (prompts) => ({
    file: '.gemini/tmp/shop/chats/session-2026-09-01T09-00-01a05c32.jsonl',
    lines: [
      { sessionId: madeId, projectHash: 'x', startTime: at(0), lastUpdated: at(0), kind: 'main' },
      ...prompts.flatMap((text, i) => [
        { id: `u${i}`, timestamp: at(2 * i), type: 'user', content: [{ text }] },
        { id: `g${i}`, timestamp: at(2 * i + 1), type: 'gemini', content: `Done ${i}.` },
      ]),
    ],
  }),
};
export const lineHarnesses = Object.keys(madeLines) as LineHarness[];

/** A home of that harness with such a session. `homes` hears of the folder, which is to be removed. */
export function madeHome(harness: HarnessId, prompts: readonly string[], homes: string[]): string {
  if (harness === 'antigravity') {
    const files = new AntigravityHome();
    homes.push(files.home);
    files.store(
      madeId,
      prompts.flatMap((text, i) => [stepPrompt(2 * i, text), stepAnswer(2 * i + 1, `Done ${i}.`)]),
    );
    return files.home;
  }
  if (harness === 'openclaw') {
    const files = new OpenclawHome();
    homes.push(files.home);
    files.session(madeId);
    for (const [i, text] of prompts.entries()) {
      files.event(madeId, 2 * i + 1, eventUser(madeId, 2 * i + 1, i === 0 ? null : 2 * i, text));
      files.event(madeId, 2 * i + 2, eventAnswer(madeId, 2 * i + 2, 2 * i + 1, `Done ${i}.`));
    }
    files.db.close();
    return files.home;
  }
  const { file, lines } = madeLines[harness](prompts);
  return homeWith(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), homes);
}

export function homeWith(file: string, content: string | Uint8Array, homes: string[]): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-made-'));
  homes.push(home);
  const whole = path.join(home, file);
  fs.mkdirSync(path.dirname(whole), { recursive: true });
  fs.writeFileSync(whole, content);
  return home;
}

export function row(type: string, n: number, told: object): object {
  const parentUuid = n === 1 ? null : uuid(n - 1);
  return { type, uuid: uuid(n), parentUuid, timestamp: at(n), cwd: '/home/user/shop', sessionId: madeId, message: told };
}
function item(i: number, role: string, type: string, text: string): object {
  return { timestamp: at(i + 1), type: 'response_item', payload: { type: 'message', role, content: [{ type, text }] } };
}
function message(n: number, told: object): object {
  return { type: 'message', id: `a000000${n}`, parentId: n === 1 ? null : `a000000${n - 1}`, timestamp: at(n), message: told };
}
