/** For tests: the records of a session file, and what the reader makes of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NativeRecord, ReadOutput, SessionFacts, Sidecars, SourceIdentity } from '../contract/read.ts';
import { RecordCutter } from '../kit/records.ts';
import { claudeReader } from './read/reader.ts';
import type { State } from './read/state.ts';

export const fixtures = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
export const cases = fileURLToPath(new URL('../../test/cases/', import.meta.url));

export const diskSidecars: Sidecars = {
  text: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  list: (folder) => {
    try {
      return readdirSync(folder).toSorted();
    } catch {
      return [];
    }
  },
};

export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

/** Every session file below a folder, subagents included. */
export function sessionFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.claude/projects/') && name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => `${folder}/${name}`.replaceAll('//', '/'));
}

export function recordsOf(bytes: Uint8Array): readonly NativeRecord[] {
  const cutter = new RecordCutter();
  return [...cutter.feed(bytes), ...cutter.finish()];
}

export interface Reading {
  readonly identity: SourceIdentity;
  readonly outputs: readonly ReadOutput[];
  readonly facts: SessionFacts;
  readonly state: State;
}

export function readRecords(path: string, records: readonly NativeRecord[], sidecars: Sidecars = diskSidecars): Reading {
  const identity = claudeReader.identify(path, records, sidecars);
  if (identity === undefined) throw new Error(`no session: ${path}`);
  const { state, outputs } = claudeReader.read(claudeReader.start(identity, path), records);
  return { identity, outputs, facts: factsIn(outputs), state };
}

export function readFile(path: string): Reading {
  return readRecords(path, recordsOf(readFileSync(path)));
}

export function factsIn(outputs: readonly ReadOutput[]): SessionFacts {
  return Object.assign({}, ...outputs.flatMap((output) => (output.type === 'facts' ? [output.facts] : []))) as SessionFacts;
}

/** A reading of rows that a test writes down; they get a common envelope and stand behind each other unless they say otherwise. */
export function readRows(
  rows: readonly object[],
  path = '/home/user/.claude/projects/-home-user-shop/aaaaaaaa-0000-4000-8000-000000000000.jsonl',
): Reading {
  return readRecords(path, recordsOf(Buffer.from(jsonl(rows))), noSidecars);
}

export function jsonl(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
