/** For tests: the records of a transcript's file, and what the reader makes of them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ContentByKind, EntryKindName } from '../contract/entry.ts';
import type { Draft, NativeRecord, ReadOutput, SessionFacts, Sidecars, SourceIdentity } from '../contract/read.ts';
import { RecordCutter } from '../kit/records.ts';
import { openclawReader } from './read/reader.ts';
import type { State } from './read/state.ts';

export const fixtures = fileURLToPath(new URL('../../test/fixtures/openclaw/', import.meta.url));
export const sessionId = '01a2ee00-0000-7000-8000-0000000000aa';
export const sessions = '/home/user/.openclaw/agents/main/sessions';
export const sessionPath = `${sessions}/${sessionId}.jsonl`;
export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

export function listOf(entries: object, asked: string[] = []): Sidecars {
  return {
    text: (path) => {
      asked.push(path);
      return path === `${sessions}/sessions.json` ? JSON.stringify(entries) : undefined;
    },
    list: () => [],
  };
}

export function recordsOf(bytes: Uint8Array): readonly NativeRecord[] {
  const cutter = new RecordCutter();
  return [...cutter.feed(bytes), ...cutter.finish()];
}

export interface Reading {
  readonly identity: SourceIdentity;
  readonly outputs: readonly ReadOutput[];
  readonly entries: readonly Draft[];
  readonly facts: SessionFacts;
  readonly state: State;
}

export function readRecords(path: string, records: readonly NativeRecord[], sidecars: Sidecars = noSidecars): Reading {
  const identity = openclawReader.identify(path, records, sidecars);
  if (identity === undefined) throw new Error(`no session: ${path}`);
  const { state, outputs } = openclawReader.read(openclawReader.start(identity, path), records);
  return { identity, outputs, entries: outputs.filter((output) => output.type === 'entry'), facts: factsIn(outputs), state };
}

export function readFile(path: string): Reading {
  return readRecords(path, recordsOf(readFileSync(path)));
}

export function factsIn(outputs: readonly ReadOutput[]): SessionFacts {
  return Object.assign({}, ...outputs.flatMap((output) => (output.type === 'facts' ? [output.facts] : []))) as SessionFacts;
}

const header = { type: 'session', version: 4, id: sessionId, timestamp: '2026-11-30T10:00:00.000Z', cwd: '/home/user/shop' };

/** A reading of records that a test writes down: behind a header they get ids and times, and stand behind each other. */
export function readRows(rows: readonly object[], path = sessionPath, sidecars = noSidecars): Reading {
  return readRecords(path, numbered([header, ...chained(rows)]), sidecars);
}

/** As a container gives them: positions are numbers. */
export function numbered(rows: readonly object[], from = 0): readonly NativeRecord[] {
  return rows.map((row, index): NativeRecord => ({
    ok: true,
    offset: from + index,
    length: 1,
    value: JSON.parse(JSON.stringify(row)) as Extract<NativeRecord, { ok: true }>['value'],
  }));
}

export function chained(rows: readonly object[]): readonly object[] {
  const id = (index: number): string | null => (index < 0 ? null : `e${index + 1}`);
  return rows.map((row, index) => ({
    id: id(index),
    parentId: id(index - 1),
    timestamp: new Date(Date.UTC(2026, 10, 30, 10, 0, index + 1)).toISOString(),
    ...row,
  }));
}

export function message(role: string, content: unknown, rest: object = {}): object {
  return { type: 'message', message: { role, content, ...rest } };
}

/** The contents of the entries of that kind. */
export function contents<K extends EntryKindName>(reading: Reading, kind: K): readonly ContentByKind[K][] {
  return reading.entries.flatMap((entry) => (entry.kind === kind ? [entry.content as ContentByKind[K]] : []));
}
