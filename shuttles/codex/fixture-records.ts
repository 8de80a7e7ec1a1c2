/** For tests: the records of a rollout, and what the reader makes of them. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../contract/json.ts';
import type { Draft, NativeRecord, ReadOutput, Sidecars, SourceIdentity } from '../contract/read.ts';
import { RecordCutter } from '../kit/records.ts';
import { codexReader } from './read/reader.ts';

export const fixtures = path.join(import.meta.dirname, '../../test/fixtures/codex');
export const cases = path.join(import.meta.dirname, '../../test/cases');
export const goldens = path.join(import.meta.dirname, '../../test/golden/codex');

export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

export const diskSidecars: Sidecars = {
  text: (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined),
  list: (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []),
};

/** All rollouts below a folder, relative to it, in the order of their names. */
export function rolloutsIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && path.basename(name).startsWith('rollout-'))
    .toSorted();
}

export function recordsOf(file: string): readonly NativeRecord[] {
  return recordsIn(fs.readFileSync(file));
}

export function recordsIn(bytes: Uint8Array): readonly NativeRecord[] {
  const cutter = new RecordCutter();
  return [...cutter.feed(bytes), ...cutter.finish()];
}

/** Records of values that stand in no file. */
export function recordsFrom(values: readonly JsonObject[]): readonly NativeRecord[] {
  return values.map((value, index) => ({ ok: true, offset: index * 1000, length: 1000, value }));
}

export function identityOf(file: string, records: readonly NativeRecord[]): SourceIdentity {
  const identity = codexReader.identify(file, records.slice(0, 8), noSidecars);
  if (identity === undefined) throw new Error(`no session: ${file}`);
  return identity;
}

export function readAll(file: string, records: readonly NativeRecord[]): readonly ReadOutput[] {
  return codexReader.read(codexReader.start(identityOf(file, records), file), records).outputs;
}

export function draftsOf(outputs: readonly ReadOutput[]): readonly Draft[] {
  return outputs.filter((output) => output.type === 'entry');
}

/** A legacy rollout with these lines after its header. */
export function legacy(...lines: readonly JsonObject[]): readonly NativeRecord[] {
  return recordsFrom([header({}), ...lines]);
}

export const threadId = '01a22a63-5268-72d2-9d6b-88a762a10057';
export const rollout = `/home/user/.codex/sessions/2026/11/30/rollout-2026-11-30T02-58-01-${threadId}.jsonl`;

export function header(fields: JsonObject): JsonObject {
  const payload = {
    id: threadId,
    timestamp: '2026-11-30T02:58:01.970Z',
    cwd: '/home/user/shop',
    originator: 'codex-tui',
    cli_version: '0.171.0',
    source: 'cli',
    ...fields,
  };
  return { timestamp: '2026-11-30T02:58:01.990Z', type: 'session_meta', payload };
}

export function event(payload: JsonObject): JsonObject {
  return { timestamp: '2026-11-30T02:58:02.000Z', type: 'event_msg', payload };
}

export function item(payload: JsonObject): JsonObject {
  return { timestamp: '2026-11-30T02:58:02.000Z', type: 'response_item', payload };
}

export function said(role: string, text: string): JsonObject {
  return item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] });
}
