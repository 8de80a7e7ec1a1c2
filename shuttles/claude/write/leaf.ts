/**
 * Where Claude Code would go on in a session's file: the rule of 2.1.332, which also holds for the versions before it because the records
 * that are put there are the newest. The last record of the tree, unless a `last-prompt` record names one that it does not stand below, or
 * names one explicitly and nothing was written behind it: then that one. (test/agents/returning.mjs asks the program.)
 */
import type { NativeRecord } from '../../contract/read.ts';
import type { JsonObject } from '../../contract/json.ts';
import { bool, field, filled, isoTime, objects, obj, str } from '../../kit/fields.ts';
import type { Answer } from './rows.ts';

export interface Leaf {
  readonly uuid: string;
  /** The newest time in the file, milliseconds since 1970. */
  readonly newest: number;
  /** Calls at the end that have no result. */
  readonly open: readonly Answer[];
  /** Tokens that the model was last sent and gave, as the program noted them; 0: it noted none. */
  readonly tokens: number;
}
export type FoundLeaf = { readonly ok: true; readonly leaf: Leaf } | { readonly ok: false; readonly refusal: string };

interface Row {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly value: JsonObject;
}

const treeTypes = new Set(['user', 'assistant', 'system', 'attachment']);

/** `records`: the newest part of the file. */
export function leafOf(records: readonly NativeRecord[], nativeId: string): FoundLeaf {
  const rows = new Map<string, Row>();
  let last: Row | undefined;
  let named: string | undefined;
  let exactly = false;
  let emptied = false;
  let newest = 0;
  for (const record of records) {
    if (!record.ok) continue;
    const { value } = record;
    const type = str(value, 'type') ?? '';
    if (type === 'last-prompt') {
      const leaf = field(value, 'leafUuid');
      const exact = bool(value, 'explicit') === true || bool(value, 'rewound') === true;
      emptied = leaf === null && exact;
      if (typeof leaf === 'string') [exactly, named] = [exact || (exactly && leaf === named), leaf];
      else if (emptied) [exactly, named] = [false, undefined];
      continue;
    }
    const uuid = filled(value, 'uuid');
    if (!treeTypes.has(type) || uuid === undefined || bool(value, 'isSidechain') === true) continue;
    last = { uuid, parent: filled(value, 'parentUuid'), value };
    rows.set(uuid, last);
    newest = Math.max(newest, isoTime(field(value, 'timestamp')) ?? 0);
    [exactly, emptied] = [false, false];
    if (str(value, 'subtype') === 'compact_boundary') named = undefined;
  }
  if (last === undefined) return no('has no message of the conversation itself at its end');
  if (emptied) return no('was rewound to before its first prompt');
  const owner = filled(last.value, 'sessionId');
  if (owner !== undefined && owner.toLowerCase() !== nativeId.toLowerCase())
    return no(`holds records of another session (${owner}) at its end`);
  const checkpoint = named === undefined ? undefined : rows.get(named);
  const goesOn = checkpoint === undefined || (!exactly && isBelow(rows, last, checkpoint));
  const row = goesOn ? last : checkpoint;
  return { ok: true, leaf: { uuid: row.uuid, newest, open: openCalls(rows, row), tokens: tokensAt(rows, row) } };
}

function no(what: string): FoundLeaf {
  return { ok: false, refusal: `The session's file ${what}, so Loom does not go on in it.` };
}

/** Does a record stand below another one, or in the same message as it? */
function isBelow(rows: ReadonlyMap<string, Row>, row: Row, top: Row): boolean {
  const message = messageId(top);
  for (const above of chain(rows, row)) if (above === top || (message !== undefined && messageId(above) === message)) return true;
  return false;
}

/** A record and those that it stands behind, as far as they are known. */
function* chain(rows: ReadonlyMap<string, Row>, from: Row): Generator<Row> {
  const seen = new Set<Row>();
  for (let row: Row | undefined = from; row !== undefined && !seen.has(row); row = rows.get(row.parent ?? '')) {
    seen.add(row);
    yield row;
  }
}

/** Calls of the newest answer without a result, when nothing was said behind them. */
function openCalls(rows: ReadonlyMap<string, Row>, leaf: Row): readonly Answer[] {
  let answer: Row | undefined;
  for (const row of chain(rows, leaf)) {
    const type = str(row.value, 'type');
    if (type === 'assistant') {
      answer = row;
      break;
    }
    if (type === 'user' && blocksOf(row).every((block) => str(block, 'type') !== 'tool_result')) return [];
  }
  if (answer === undefined) return [];
  const all = [...rows.values()];
  const message = messageId(answer);
  const parts = message === undefined ? [answer] : all.filter((row) => messageId(row) === message);
  const given = new Set(all.flatMap((row) => blocksOf(row).flatMap((block) => str(block, 'tool_use_id') ?? [])));
  return parts.flatMap((row) =>
    blocksOf(row).flatMap((block) => {
      const call = str(block, 'type') === 'tool_use' ? filled(block, 'id') : undefined;
      return call === undefined || given.has(call) ? [] : [{ call, row: row.uuid }];
    }),
  );
}

function messageId(row: Row): string | undefined {
  return str(row.value, 'type') === 'assistant' ? filled(obj(row.value, 'message'), 'id') : undefined;
}

function blocksOf(row: Row): readonly JsonObject[] {
  return objects(obj(row.value, 'message'), 'content');
}

function tokensAt(rows: ReadonlyMap<string, Row>, leaf: Row): number {
  for (const row of chain(rows, leaf)) {
    const usage = obj(obj(row.value, 'message'), 'usage');
    const names = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
    const tokens = names.reduce((sum, name) => {
      const count = field(usage, name);
      return sum + (typeof count === 'number' && count > 0 ? count : 0);
    }, 0);
    if (tokens > 0) return tokens;
  }
  return 0;
}
