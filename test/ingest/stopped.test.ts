/** Threads whose newest turn ended at a limit or failed: known while they are read, whatever the pieces in which they come. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { threadView } from '../../server/main/thread-view.ts';
import type { ThreadView } from '../../server/protocol/views.ts';
import type { JsonObject } from '../../shuttles/contract/json.ts';
import { HomeLedger } from '../home-ledger.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 2, 10, 0, second)).toISOString();
const session = '01a2ee00-0000-7000-8000-000000000101';

interface Talk {
  /** Relative to the home. */
  readonly file: string;
  readonly head: readonly JsonObject[];
  readonly asks: (n: number) => readonly JsonObject[];
  readonly answers: (n: number) => readonly JsonObject[];
  readonly limited: (n: number) => readonly JsonObject[];
  readonly fails: (n: number) => readonly JsonObject[];
}

const claudeId = '5baaea07-d3e0-4173-9e63-d58b3998a4c4';
const claudeRow = (n: number, type: string, rest: JsonObject): JsonObject => ({
  type,
  uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  parentUuid: n === 1 ? null : `00000000-0000-4000-8000-${String(n - 1).padStart(12, '0')}`,
  timestamp: at(n),
  cwd: '/home/user/shop',
  sessionId: claudeId,
  version: '2.1.332',
  ...rest,
});
const claudeSaid = (n: number, text: string): JsonObject => ({
  id: `msg_${n}`,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
});
const claudeTrouble = (n: number, text: string, error: string): readonly JsonObject[] => [
  claudeRow(n, 'assistant', { isApiErrorMessage: true, error, message: { ...claudeSaid(n, text), model: '<synthetic>' } }),
];
const codexLine = (n: number, type: string, payload: JsonObject): JsonObject => ({ timestamp: at(n), type, payload });
const codexEvent = (n: number, type: string, rest: JsonObject): JsonObject => codexLine(n, 'event_msg', { type, ...rest });
const piName = (n: number): string => n.toString(16).padStart(8, '0');
const piRow = (n: number, message: JsonObject): JsonObject => ({
  type: 'message',
  id: piName(n),
  parentId: n === 1 ? null : piName(n - 1),
  timestamp: at(n),
  message,
});
const piTrouble = (n: number, errorMessage: string): readonly JsonObject[] => [
  piRow(n, { role: 'assistant', content: [{ type: 'text', text: 'part' }], stopReason: 'error', errorMessage }),
];

const talks: Readonly<Record<string, Talk>> = {
  claude: {
    file: `.claude/projects/-home-user-shop/${claudeId}.jsonl`,
    head: [],
    asks: (n) => [claudeRow(n, 'user', { message: { role: 'user', content: `Ask ${n}.` } })],
    answers: (n) => [claudeRow(n, 'assistant', { message: claudeSaid(n, `Answer ${n}.`) })],
    limited: (n) => claudeTrouble(n, "You've hit your limit · resets 3pm (UTC)", 'rate_limit'),
    fails: (n) => claudeTrouble(n, 'API Error: 500 the server is broken', 'api_error'),
  },
  codex: {
    file: `.codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-${session}.jsonl`,
    head: [codexLine(0, 'session_meta', { id: session, timestamp: at(0), cwd: '/home/user/shop', originator: 'codex_cli_rs' })],
    asks: (n) => [
      codexEvent(n, 'task_started', { turn_id: `t${n}` }),
      codexLine(n, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Ask ${n}.` }] }),
      codexEvent(n, 'user_message', { message: `Ask ${n}.` }),
    ],
    answers: (n) => [
      codexLine(n, 'response_item', {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: `Answer ${n}.` }],
      }),
      codexEvent(n, 'task_complete', { turn_id: `t${n - 1}` }),
    ],
    limited: (n) => [
      codexEvent(n, 'error', { message: "You've hit your usage limit.", codex_error_info: 'usage_limit_exceeded' }),
      codexEvent(n, 'task_complete', { turn_id: `t${n - 1}` }),
    ],
    fails: (n) => [
      codexEvent(n, 'error', { message: 'stream disconnected before completion' }),
      codexEvent(n, 'task_complete', { turn_id: `t${n - 1}` }),
    ],
  },
  pi: {
    file: `.pi/agent/sessions/--home-user-shop--/2026-11-02T10-00-01-000Z_${session}.jsonl`,
    head: [{ type: 'session', version: 3, id: session, timestamp: at(0), cwd: '/home/user/shop' }],
    asks: (n) => [piRow(n, { role: 'user', content: [{ type: 'text', text: `Ask ${n}.` }] })],
    answers: (n) => [piRow(n, { role: 'assistant', content: [{ type: 'text', text: `Answer ${n}.` }], stopReason: 'stop' })],
    limited: (n) => piTrouble(n, '429 rate limit: please retry in 30s'),
    fails: (n) => piTrouble(n, 'the socket hung up'),
  },
  gemini: {
    file: '.gemini/tmp/shop/chats/session-2026-11-02T10-00-01a2ee00.jsonl',
    head: [{ sessionId: session, projectHash: 'f'.repeat(64), startTime: at(0), lastUpdated: at(0), kind: 'main' }],
    asks: (n) => [{ id: `m${n}`, timestamp: at(n), type: 'user', content: [{ text: `Ask ${n}.` }] }],
    answers: (n) => [{ id: `m${n}`, timestamp: at(n), type: 'gemini', content: `Answer ${n}.`, model: 'g' }],
    limited: (n) => [
      { id: `m${n}`, timestamp: at(n), type: 'error', content: 'You exceeded your current quota. Please retry in 34s.' },
    ],
    fails: (n) => [{ id: `m${n}`, timestamp: at(n), type: 'error', content: 'An unexpected error' }],
  },
};

/** What the list says of the thread behind each step; every record is read by itself, or a step at once. */
async function seen(
  talk: Talk,
  steps: readonly (readonly JsonObject[])[],
  pieces: boolean,
): Promise<readonly ThreadView['stopped'][]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-stopped-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const file = path.join(home, talk.file);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await using ledger = new HomeLedger(home);
  const append = (rows: readonly JsonObject[]): void =>
    fs.appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  append(talk.head);
  const stops: ThreadView['stopped'][] = [];
  for (const step of steps) {
    for (const part of pieces ? step.map((row) => [row]) : [step]) {
      append(part);
      await ledger.catchUp();
    }
    expect(ledger.faults).toEqual([]);
    const [row] = ledger.ledger.threads.newest(2);
    if (row === undefined) throw new Error('no thread');
    stops.push(threadView(ledger.ledger, row, new Map()).stopped);
  }
  return stops;
}

const cases = Object.keys(talks).flatMap((harness) => [false, true].map((pieces): [string, boolean] => [harness, pieces]));

test.for(cases)(
  'a turn of %s that ended at a limit, or failed, stops its thread until somebody goes on (by single records: %s)',
  async ([harness, pieces]) => {
    const talk = talks[harness];
    if (talk === undefined) throw new Error('no such talk');
    const steps = [
      talk.asks(1),
      talk.answers(2),
      talk.asks(3),
      talk.limited(4),
      talk.asks(5),
      talk.answers(6),
      talk.asks(7),
      talk.fails(8),
      talk.asks(9),
    ];
    const limit = { reason: 'limit', text: expect.stringMatching(/limit|quota/u) as string };
    const failed = { reason: 'failed', text: expect.stringMatching(/broken|disconnected|socket|unexpected/u) as string };
    expect(await seen(talk, steps, pieces)).toEqual([
      null,
      null,
      null,
      expect.objectContaining(limit),
      null,
      null,
      null,
      { ...failed, resetsAt: null },
      null,
    ]);
  },
);

test('when a limit ends is told where the harness says it', async () => {
  const { claude, pi } = talks;
  for (const talk of [claude, pi]) {
    if (talk === undefined) throw new Error('no such talk');
    const [, stop] = await seen(talk, [talk.asks(1), talk.limited(2)], false);
    expect(stop?.resetsAt).toBeGreaterThan(Date.parse(at(2)));
  }
});
