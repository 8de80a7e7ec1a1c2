/** What Antigravity's stores say, by a script that decodes their rows with a few lines of its own; artifacts by their check boxes. */
import fs from 'node:fs';
import path from 'node:path';
import { copiedDatabase } from '../../openclaw-home.ts';
import { Found, planText } from './fact.ts';
import { countLines, filesBelow, linesOf, type Raw } from './raw.ts';

const kinds: Readonly<Record<string, string>> = {
  run_command: 'command',
  view_file: 'read',
  list_dir: 'search',
  grep_search: 'search',
  find_by_name: 'search',
  search_web: 'webSearch',
  read_url_content: 'fetch',
  write_to_file: 'edit',
  replace_file_content: 'edit',
  multi_replace_file_content: 'edit',
  invoke_subagent: 'agent',
  ask_question: 'question',
};

export function antigravityFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.gemini\/antigravity[^/]*\/conversations\/[0-9a-f-]+\.db$/)) {
    using database = copiedDatabase(file);
    if (database.db.pragma('user_version', { simple: true }) !== 1) continue;
    const models = new Map<number, string>();
    for (const { data } of database.db.prepare('SELECT data FROM gen_metadata').all() as Raw[]) {
      const record = decode(data);
      const name = sub(record, 1, 21)?.toString('utf8');
      for (const index of varints(record.get(2)?.[0])) if (name !== undefined) models.set(index, name);
    }
    let model: string | undefined;
    for (const row of database.db.prepare('SELECT * FROM steps ORDER BY idx').all() as Raw[]) {
      const named = models.get(row.idx);
      if (row.step_type === 15 && named !== undefined && named !== model) {
        if (model !== undefined) found.add('modelChange', named);
        model = named;
      }
      step(found, row, decode(row.step_payload), `${path.basename(file)} ${row.idx}`, named);
    }
  }
  for (const file of filesBelow(
    home,
    /\.gemini\/antigravity[^/]*\/brain\/[^/]+\/\.system_generated\/logs\/transcript(?:_full)?\.jsonl$/,
  )) {
    const [root = '', id = ''] = file.split(/[\\/]brain[\\/]|[\\/]\.system_generated/);
    if (!fs.existsSync(path.join(root, 'conversations', `${id}.db`))) for (const line of linesOf(file)) told(found, line);
  }
  for (const file of filesBelow(home, /\.gemini\/antigravity[^/]*\/brain\/[^/]+\/task\.md$/)) {
    const boxes = [...fs.readFileSync(file, 'utf8').matchAll(/^\s*[-*] \[([ xX/])\] (.+)$/gm)];
    const items = boxes.map(([, mark = '', text = '']) => ({
      text,
      status: mark === ' ' ? 'pending' : mark === '/' ? 'inProgress' : 'completed',
    }));
    found.add('plan', planText(items));
  }
  return found;
}

type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

function decode(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const wire = key % 8;
    const length = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? varint() : 0;
    const value = wire === 0 ? varint() : bytes.subarray(at, at + length);
    at += length;
    fields.set(Math.floor(key / 8), [...(fields.get(Math.floor(key / 8)) ?? []), value]);
  }
  return fields;
}

function sub(fields: Fields | undefined, ...names: readonly number[]): Buffer | undefined {
  let value: Buffer | number | undefined;
  let inside = fields;
  for (const name of names) {
    value = inside?.get(name)?.[0];
    inside = Buffer.isBuffer(value) && name !== names.at(-1) ? decode(value) : undefined;
  }
  return Buffer.isBuffer(value) ? value : undefined;
}

function number(fields: Fields | undefined, name: number): number | undefined {
  const value = fields?.get(name)?.[0];
  return typeof value === 'number' ? value : undefined;
}

/** Packed or single. */
function varints(given: Buffer | number | undefined): readonly number[] {
  if (typeof given === 'number') return [given];
  const found: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of given ?? []) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    found.push(value);
    value = 0;
    scale = 1;
  }
  return found;
}

function inner(fields: Fields, ...names: readonly number[]): Fields | undefined {
  const bytes = sub(fields, ...names);
  return bytes === undefined ? undefined : decode(bytes);
}

const text = (fields: Fields | undefined, name: number): string | undefined => sub(fields, name)?.toString('utf8');

function step(found: Found, row: Raw, payload: Fields, name: string, model: string | undefined): void {
  const meta = inner(payload, 5);
  const at = (number(inner(meta ?? new Map(), 1), 1) ?? 0) * 1000;
  const usage = inner(meta ?? new Map(), 9);
  const count = (field: number): number => number(usage, field) ?? 0;
  const error = row.error_details === null ? undefined : text(decode(row.error_details), 9);
  if (row.step_type === 14)
    for (const image of inner(payload, 19)?.get(5) ?? []) found.add('image', text(decode(image as Buffer), 1)?.slice(0, 60));
  if (row.step_type === 15) {
    found.spend(name, count(2) + count(4) + count(5), count(3));
    const numbered = number(meta, 11);
    if (model !== undefined || numbered !== undefined) found.add('model', model ?? `model ${numbered}`);
    const stop = number(inner(payload, 20), 12);
    if (row.status === 7 || stop === 13) {
      found.add('turnFailed', at);
      const wait = /retry in (\d+)s/.exec(error ?? '')?.[1];
      found.add(
        'error',
        /quota/i.test(error ?? '') ? 'limit' : 'apiError',
        error?.slice(0, 80),
        wait === undefined ? undefined : at + Number(wait) * 1000,
      );
    } else if (row.status === 6 || stop === 16) found.add('turnInterrupted', at);
    else if (stop === 2 || stop === 3) found.add('turnCompleted', at);
    return;
  }
  const call = inner(meta ?? new Map(), 4);
  if (call !== undefined) result(found, row, payload, call, error);
}

function result(found: Found, row: Raw, payload: Fields, call: Fields, error: string | undefined): void {
  const id = text(call, 1);
  const name = text(call, 2) ?? '';
  const args: Raw = JSON.parse(text(call, 3) || '{}');
  const kind = kinds[name] ?? (row.step_type === 38 ? 'mcp' : '');
  const failed = row.status !== 3 || error !== undefined;
  if (kind === 'command') {
    const body = inner(payload, 28);
    found.add('command', id, text(body, 23) ?? args.CommandLine);
    if (body !== undefined) found.add('exitCode', id, number(body, 6) ?? 0);
  }
  if (kind === 'edit' && !failed) edit(found, id ?? '', args);
  if (kind === 'read' || kind === 'search' || kind === 'webSearch' || kind === 'agent') found.add(kind, id);
  if (kind === 'fetch') found.add('fetch', id, args.Url);
  if (kind === 'mcp') found.add('mcp', id, args.ServerName);
  if (kind === 'question') {
    found.add('question', args.question);
    const answer = text(inner(payload, 140, 2), 1);
    if (answer !== undefined) found.add('answer', args.question, answer);
  }
  if (row.status === 6) found.add('brokenOff', id);
}

function edit(found: Found, id: string, args: Raw): void {
  const isNew = args.CodeContent !== undefined && args.Overwrite !== true;
  found.add('edit', id, args.TargetFile, isNew ? 'add' : 'update');
  if (isNew) found.add('diff', id, args.TargetFile, `+${countLines(args.CodeContent)} -0`);
  const chunks: readonly Raw[] = args.ReplacementChunks ?? [args];
  const placed = chunks.filter(({ StartLine, TargetContent }) => StartLine !== undefined && TargetContent !== undefined);
  if (placed.length === 0) return;
  const lines = (field: string): number => placed.reduce((sum, chunk) => sum + countLines(chunk[field]), 0);
  found.add('diff', id, args.TargetFile, `+${lines('ReplacementContent')} -${lines('TargetContent')}`);
}

/** A line of the plain transcript, for conversations that no store tells. */
function told(found: Found, line: Raw): void {
  const { type = 'PLANNER_RESPONSE', status = 'DONE' } = line;
  if (line.source !== 'MODEL' || type !== 'PLANNER_RESPONSE' || status !== 'DONE') return;
  if (line.content && (line.tool_calls ?? []).length === 0) found.add('turnCompleted', Date.parse(line.created_at));
}
