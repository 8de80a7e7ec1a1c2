/** For tests: a program goes on with a session of its own, as its records show that it does. Only ever appends. */
import fs from 'node:fs';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { asObject } from '../../shuttles/kit/fields.ts';
import type { JsonObject } from '../../shuttles/contract/json.ts';

let made = 0;
const hex = (length: number): string => (++made).toString(16).padStart(length, '0');
const uuid = (): string => `0fffffff-0000-4000-8000-${hex(12)}`;

export interface Turn {
  readonly file: string;
  readonly prompt: string;
  readonly answer: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Harnesses whose programs can be played here. */
export const played = ['claude', 'codex', 'pi', 'gemini'] as const satisfies readonly HarnessId[];
export type Played = (typeof played)[number];

export function goesOn(harness: Played, turn: Turn): void {
  const rows = rowsOf(harness, turn, recordsOf(turn.file));
  fs.appendFileSync(turn.file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function rowsOf(harness: Played, { prompt, answer, at }: Turn, before: readonly JsonObject[]): readonly object[] {
  const timestamp = new Date(at).toISOString();
  switch (harness) {
    case 'claude': {
      const last = before.findLast((row) => typeof row['uuid'] === 'string');
      const [asked, answered] = [uuid(), uuid()];
      const common = {
        isSidechain: false,
        userType: 'external',
        cwd: last?.['cwd'] ?? '',
        sessionId: last?.['sessionId'] ?? '',
        version: '2.1.332',
        timestamp,
      };
      const said = { role: 'assistant', model: 'm', content: [{ type: 'text', text: answer }], stop_reason: 'end_turn' };
      return [
        { ...common, type: 'user', uuid: asked, parentUuid: last?.['uuid'] ?? null, message: { role: 'user', content: prompt } },
        {
          ...common,
          type: 'assistant',
          uuid: answered,
          parentUuid: asked,
          message: { ...said, id: `msg_${hex(8)}`, type: 'message' },
        },
      ];
    }
    case 'codex': {
      const turn = uuid();
      const ordinal = before.at(-1)?.['ordinal'];
      const text = (type: string, words: string): JsonObject => ({ type, text: words });
      const payloads: readonly (readonly [string, JsonObject])[] = [
        ['event_msg', { type: 'task_started', turn_id: turn }],
        ['response_item', { type: 'message', id: `msg_${hex(8)}`, role: 'user', content: [text('input_text', prompt)] }],
        ['event_msg', { type: 'user_message', message: prompt }],
        ['response_item', { type: 'message', id: `msg_${hex(8)}`, role: 'assistant', content: [text('output_text', answer)] }],
        ['event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: answer }],
      ];
      return payloads.map(([type, payload], i) => ({
        timestamp,
        ...(typeof ordinal === 'number' ? { ordinal: ordinal + 1 + i } : {}),
        type,
        payload,
      }));
    }
    case 'pi': {
      const parent = before.findLast((row) => typeof row['id'] === 'string' && row['type'] !== 'session')?.['id'] ?? null;
      const [asked, answered] = [hex(8), hex(8)];
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      const content = (words: string): JsonObject[] => [{ type: 'text', text: words }];
      return [
        {
          type: 'message',
          id: asked,
          parentId: parent,
          timestamp,
          message: { role: 'user', content: content(prompt), timestamp: at },
        },
        {
          type: 'message',
          id: answered,
          parentId: asked,
          timestamp,
          message: { role: 'assistant', content: content(answer), usage, stopReason: 'stop', timestamp: at },
        },
      ];
    }
    case 'gemini': {
      const rows: readonly object[] = [
        { id: uuid(), timestamp, type: 'user', content: [{ text: prompt }] },
        { id: uuid(), timestamp, type: 'gemini', content: answer, model: 'gemini-3-pro' },
        { $set: { lastUpdated: timestamp } },
      ];
      return rows;
    }
  }
}

function recordsOf(file: string): readonly JsonObject[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => asObject(JSON.parse(line)) ?? {});
}
