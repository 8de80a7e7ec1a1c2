/** For tests: the records of a session file, and what the reader makes of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ContentByKind, EntryKindName } from '../contract/entry.ts';
import type { Draft, NativeRecord, ReadOutput, SessionFacts, Sidecars, SourceIdentity } from '../contract/read.ts';
import { RecordCutter } from '../kit/records.ts';
import { piReader } from './read/reader.ts';
import type { State } from './read/state.ts';

export const fixtures = fileURLToPath(new URL('../../test/fixtures/pi/', import.meta.url));
export const cases = fileURLToPath(new URL('../../test/cases/', import.meta.url));
export const sessionId = '01a2ee00-0000-7000-8000-0000000000aa';
export const sessionPath = `/home/user/.pi/agent/sessions/--home-user-shop--/2026-11-02T10-00-00-000Z_${sessionId}.jsonl`;

export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

/** Files as a shuttle would be shown them; every path that is asked for is noted. */
export function sidecarsOf(files: Readonly<Record<string, string>>, asked: string[] = []): Sidecars {
  return {
    text: (path) => {
      asked.push(path);
      return Object.hasOwn(files, path) ? files[path] : undefined;
    },
    list: (folder) => [
      ...new Set(
        Object.keys(files).flatMap((path) =>
          path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1).split('/')[0] ?? ''] : [],
        ),
      ),
    ],
  };
}

/** Every session file of pi and omp below a folder. */
export function sessionFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:\.(?:pi|omp)\/agent\/sessions\/|handmade).*\.jsonl$/.test(name))
    .toSorted()
    .map((name) => `${folder}${name}`);
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
  const identity = piReader.identify(path, records, sidecars);
  if (identity === undefined) throw new Error(`no session: ${path}`);
  const { state, outputs } = piReader.read(piReader.start(identity, path), records);
  const entries = outputs.filter((output) => output.type === 'entry');
  return { identity, outputs, entries, facts: factsIn(outputs), state };
}

export function readFile(path: string): Reading {
  return readRecords(path, recordsOf(readFileSync(path)));
}

export function factsIn(outputs: readonly ReadOutput[]): SessionFacts {
  return Object.assign({}, ...outputs.flatMap((output) => (output.type === 'facts' ? [output.facts] : []))) as SessionFacts;
}

export const header = {
  type: 'session',
  version: 3,
  id: sessionId,
  timestamp: '2026-11-02T10:00:00.000Z',
  cwd: '/home/user/shop',
};

/** A reading of records that a test writes down: behind a header they get ids and times, and stand behind each other. */
export function readRows(rows: readonly object[], path = sessionPath): Reading {
  return readRecords(path, recordsOf(Buffer.from(jsonl([header, ...chained(rows)]))));
}

export function chained(rows: readonly object[]): readonly object[] {
  const id = (index: number): string | null => (index < 0 ? null : (index + 1).toString(16).padStart(8, '0'));
  return rows.map((row, index) => ({
    id: id(index),
    parentId: id(index - 1),
    timestamp: new Date(Date.UTC(2026, 10, 2, 10, 0, index + 1)).toISOString(),
    ...row,
  }));
}

export function message(role: string, content: unknown, rest: object = {}): object {
  return { type: 'message', message: { role, content, ...rest } };
}

export function jsonl(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** The contents of the entries of that kind. */
export function contents<K extends EntryKindName>(reading: Reading, kind: K): readonly ContentByKind[K][] {
  return reading.entries.flatMap((entry) => (entry.kind === kind ? [entry.content as ContentByKind[K]] : []));
}
