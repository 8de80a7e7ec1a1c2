/** For tests: the records of a session's file, and what the reader makes of them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Held } from '../contract/container.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Draft, NativeRecord, ReadOutput, Sidecars, SourceIdentity } from '../contract/read.ts';
import { RecordCutter } from '../kit/records.ts';
import { geminiContainer } from './container.ts';
import { geminiReader } from './read/reader.ts';

export const fixtures = path.join(import.meta.dirname, '../../test/fixtures/gemini');
export const cases = path.join(import.meta.dirname, '../../test/cases');
export const goldens = path.join(import.meta.dirname, '../../test/golden/gemini');
export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

export const sessionId = 'ec6ed4ea-67e1-4253-bb51-5470e999144e';
export const sessionPath = '/home/user/.gemini/tmp/shop/chats/session-2026-09-10T09-00-ec6ed4ea.jsonl';

export function sessionFiles(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.gemini\/tmp\/.*\/chats\/.*\.jsonl?$/.test(name))
    .toSorted()
    .map((name) => path.join(folder, name));
}

export function recordsOf(file: string): readonly NativeRecord[] {
  const bytes = fs.readFileSync(file);
  if (file.endsWith('.json')) {
    const held: Held = { form: 'document', path: file, text: bytes.toString('utf8') };
    return [...geminiContainer.records(held, 'session', 0, noSidecars)];
  }
  const cutter = new RecordCutter();
  return [...cutter.feed(bytes), ...cutter.finish()];
}

/** Records of values that stand in no file. */
export function recordsFrom(values: readonly JsonObject[]): readonly NativeRecord[] {
  return values.map((value, index) => ({ ok: true, offset: index * 1000, length: 999, value }));
}

export function readRecords(
  records: readonly NativeRecord[],
  file = sessionPath,
): { readonly identity: SourceIdentity; readonly outputs: readonly ReadOutput[]; readonly drafts: readonly Draft[] } {
  const known = file.endsWith('.json') ? `${file}#session` : file;
  const identity = geminiReader.identify(known, records.slice(0, 64), noSidecars);
  if (identity === undefined) throw new Error(`no session: ${file}`);
  const { outputs } = geminiReader.read(geminiReader.start(identity, file), records);
  return { identity, outputs, drafts: outputs.filter((output) => output.type === 'entry') };
}

export const header: JsonObject = {
  sessionId,
  projectHash: 'x',
  startTime: '2026-09-10T09:00:00.000Z',
  lastUpdated: '2026-09-10T09:00:00.000Z',
  kind: 'main',
};

export function said(
  type: 'user' | 'gemini' | 'info' | 'error',
  id: string,
  content: string | JsonObject[],
  more: JsonObject = {},
): JsonObject {
  return { id, timestamp: '2026-09-10T09:01:00.000Z', type, content, ...more };
}
