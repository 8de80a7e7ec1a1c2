/**
 * One conversation's database as records: who and where it is, then its steps in order. A step may change until it is settled, so only
 * settled ones are given, and none behind one that is not; an answer that was left unfinished counts as settled once a person spoke again.
 */
import type { Tables } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { pathOfUri } from '../uri.ts';
import { record, stepRecord, timeOf } from './step.ts';
import { decode } from './wire.ts';

/** Done, invalid, cleared, cancelled, failed. */
const settled = '(3, 4, 5, 6, 7)';

/** How many records there are: one for the conversation, and the settled steps. */
export function lengthOf(tables: Tables): number {
  const [row] = tables.all(
    `SELECT COUNT(*) AS steps FROM steps WHERE idx < COALESCE(
       (SELECT MIN(idx) FROM steps WHERE status NOT IN ${settled}
        AND idx > COALESCE((SELECT MAX(idx) FROM steps WHERE step_type = 14 AND status IN ${settled}), -1)), 9223372036854775807)`,
  );
  return 1 + Number(row?.['steps'] ?? 0);
}

/** Does any step say something? Of a database whose fields only look as they did, none does. */
export function anyDecodes(tables: Tables): boolean {
  const rows = tables.all(
    'SELECT idx, step_type, status, metadata, error_details, step_payload FROM steps ORDER BY idx LIMIT 20',
  );
  return rows.length === 0 || rows.some((row) => stepRecord(stepRow(row), undefined) !== undefined);
}

export function* conversationRecords(tables: Tables, from: number): Iterable<NativeRecord> {
  if (from === 0) yield { ok: true, offset: 0, length: 1, value: about(tables) };
  const start = Math.max(1, from);
  const end = lengthOf(tables);
  const models = modelsOf(tables, start > 1);
  const page = 200;
  for (let at = start; at < end; at += page) {
    const rows = tables.all(
      'SELECT idx, step_type, status, metadata, error_details, step_payload FROM steps ORDER BY idx LIMIT ? OFFSET ?',
      Math.min(page, end - at),
      at - 1,
    );
    for (const [index, row] of rows.entries()) {
      const step = stepRow(row);
      const value = stepRecord(step, models.get(step.idx));
      const offset = at + index;
      yield value === undefined
        ? { ok: false, offset, length: 1, text: '', reason: `step ${step.idx} of type ${step.type} cannot be decoded` }
        : { ok: true, offset, length: 1, value };
    }
  }
}

function about(tables: Tables): ReturnType<typeof record> {
  const meta = tables.all('SELECT cascade_id, trajectory_id, source FROM trajectory_meta LIMIT 1')[0];
  const data = tables.all("SELECT data FROM trajectory_metadata_blob WHERE id = 'main'")[0]?.['data'];
  const blob = data instanceof Uint8Array ? decode(data) : undefined;
  const workspace = blob?.sub(1);
  return record({
    record: 'conversation',
    trajectory: typeof meta?.['trajectory_id'] === 'string' ? meta['trajectory_id'] : undefined,
    source: typeof meta?.['source'] === 'number' ? meta['source'] : undefined,
    cwd: pathOfUri(workspace?.str(1) ?? blob?.str(7)),
    branch: workspace?.str(4),
    at: timeOf(blob?.sub(2)),
    /** The conversation that started this one. */
    root: blob?.str(6),
    project: blob?.str(18),
  });
}

function stepRow(row: Readonly<Record<string, unknown>>): Parameters<typeof stepRecord>[0] {
  const bytes = (name: string): Uint8Array | undefined => {
    const value = row[name];
    return value instanceof Uint8Array && value.length > 0 ? value : undefined;
  };
  return {
    idx: Number(row['idx']),
    type: Number(row['step_type']),
    status: Number(row['status']),
    payload: bytes('step_payload'),
    metadata: bytes('metadata'),
    error: bytes('error_details'),
  };
}

/** Names of models by step. For a few new steps only the newest records of generations are looked at. */
function modelsOf(tables: Tables, few: boolean): ReadonlyMap<number, string> {
  const models = new Map<number, string>();
  const rows = tables.all(
    'SELECT data FROM gen_metadata WHERE length(data) < 4194304 ORDER BY idx DESC LIMIT ?',
    few ? 40 : 20_000,
  );
  for (const { data } of rows) {
    const generation = data instanceof Uint8Array ? decode(data) : undefined;
    const chat = generation?.sub(1);
    const name = chat?.str(21) ?? chat?.str(19);
    if (generation === undefined || name === undefined || name === '') continue;
    for (const step of generation.nums(2)) models.set(step, name.toWellFormed());
  }
  return models;
}
