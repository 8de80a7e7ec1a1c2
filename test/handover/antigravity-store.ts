/** For tests of hand-overs: the home of the terminal program agy as the fixture has it, and agy going on with a conversation. */
import Sqlite from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import type { HarnessStatus } from '../../server/protocol/views.ts';
import { answer, bytes, int, message, metadata, prompt } from '../antigravity-home.ts';
import type { Step } from '../antigravity-home.ts';
import { fixtures } from '../home-ledger.ts';

/** A program of a version whose databases are known. */
export const agy: HarnessStatus = {
  harness: 'antigravity',
  roots: [],
  installed: '/usr/bin/agy',
  canReceive: true,
  reason: null,
  modes: ['prompt', 'native'],
  version: '1.1.16',
  verified: [],
  losses: [],
};

/** The conversation that is there. */
export const neighbour = '0f5b2c1e-7a34-4d5e-9b1a-1c2d3e4f5a6b';
const folder = '.gemini/antigravity-cli';

export function addStore(home: string): void {
  fs.cpSync(path.join(fixtures, 'antigravity/home', folder), path.join(home, folder), { recursive: true });
}

export function inStore(home: string, ...names: readonly string[]): string {
  return path.join(home, folder, ...names);
}

/** Rows of the index, by id. */
export function listed(home: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const db = new Sqlite(inStore(home, 'conversation_summaries.db'), { readonly: true });
  try {
    const rows = db.prepare('SELECT * FROM conversation_summaries').all() as Record<string, unknown>[];
    return new Map(rows.map((row) => [String(row['conversation_id']), row]));
  } finally {
    db.close();
  }
}

/** A prompt and its answer behind the conversation's end, through the log that the program uses. */
export function agyGoesOn(file: string, words: string, said: string): void {
  const db = new Sqlite(file, { fileMustExist: true });
  try {
    db.pragma('journal_mode = WAL');
    const { next } = db.prepare('SELECT MAX(idx) + 1 AS next FROM steps').get() as { readonly next: number };
    const put = db.prepare('INSERT INTO steps (idx, step_type, status, metadata, step_payload) VALUES (?, ?, ?, ?, ?)');
    for (const step of [prompt(next, words), answer(next + 1, said)])
      put.run(step.idx, step.type, 3, metadata(step), payloadOf(step));
  } finally {
    db.close();
  }
}

function payloadOf(step: Step): Uint8Array {
  return message(int(1, step.type), int(4, 3), bytes(5, metadata(step)), bytes(step.field, step.body));
}
