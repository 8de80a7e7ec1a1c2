/**
 * Turns as records: the full envelope, parents in one line, times that rise by a millisecond and end at the time of writing,
 * ids of messages and calls that are unique in the file and made only of [A-Za-z0-9_-].
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import type { WriteRequest } from '../../contract/shuttle.ts';
import { foreignText } from './foreign.ts';
import { missingResult } from '../../kit/carried-turns.ts';
import type { Part, Turn } from './turns.ts';

/** What the program writes where no model of its own answered. */
const synthetic = '<synthetic>';
/** The newest version that was seen to resume such a file; it only fills the envelope. */
const knownVersion = '2.1.332';

/** A record before it has its place in the line. */
interface Message {
  readonly type: 'user' | 'assistant';
  readonly message: JsonObject;
  readonly extra?: JsonObject;
  /** Its parent, when that is not the record before it. */
  readonly behind?: string;
}

interface CallIds {
  readonly used: Set<string>;
  readonly suffix: string;
}

/** Behind what the records stand, and what makes their ids unlike all others of the file. */
export interface Anchor {
  readonly parent: string | null;
  /** Milliseconds since 1970: every record is later. */
  readonly after: number;
  readonly salt: string;
  /** Results of calls that nobody answered: they come first. */
  readonly answers: readonly Answer[];
  /** Put behind the id of every call. */
  readonly suffix: string;
}
/** A result for a call that stands in the file; the row of the call is its parent. */
export interface Answer {
  readonly call: string;
  readonly row: string;
}

/** A session of its own. */
export function beginning(nativeId: string): Anchor {
  return { parent: null, after: 0, salt: nativeId.toLowerCase(), answers: [], suffix: '' };
}

/** The records of the tree. */
export function rows(request: WriteRequest, turns: readonly Turn[], anchor: Anchor): readonly JsonObject[] {
  const ids: CallIds = { used: new Set(), suffix: anchor.suffix };
  const messages = [
    ...anchor.answers.map(unanswered),
    ...opening(request, turns),
    ...turns.flatMap((turn) => records(turn, ids)),
  ];
  const start = Math.max(request.now - messages.length, anchor.after);
  const envelope = {
    isSidechain: false,
    userType: 'external',
    entrypoint: 'cli',
    cwd: request.cwd,
    sessionId: request.nativeId,
    version: /\d+\.\d+\.\d+/.exec(request.programVersion ?? '')?.[0] ?? knownVersion,
    gitBranch: request.branch ?? 'HEAD',
  };
  const short = hashed(anchor.salt).slice(0, 12);
  const out: JsonObject[] = [];
  let parent = anchor.parent;
  for (const [index, { type, message, extra, behind }] of messages.entries()) {
    const uuid = recordId(anchor.salt, index);
    out.push({
      parentUuid: behind ?? parent,
      ...envelope,
      type,
      message: type === 'assistant' ? { id: `msg_loom_${short}_${index}`, ...message } : message,
      uuid,
      timestamp: new Date(start + index + 1).toISOString(),
      ...extra,
    });
    parent = uuid;
  }
  return out;
}

/** What the program itself would put there when it goes on: the call ended without a result. */
function unanswered({ call, row }: Answer): Message {
  const content = resultContent(missingResult.content);
  const block = { type: 'tool_result', tool_use_id: call, content, is_error: true };
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    extra: { sourceToolAssistantUUID: row },
    behind: row,
  };
}

/** The API wants the person's turn first: the baton, or a line that says that the beginning is missing. */
function opening(request: WriteRequest, turns: readonly Turn[]): readonly Message[] {
  const text =
    request.baton.trim() === ''
      ? turns[0]?.role === 'user'
        ? ''
        : '[This conversation was carried over; its beginning is not here.]'
      : request.baton;
  return text === '' ? [] : [{ type: 'user', message: { role: 'user', content: text }, extra: { loom: { kind: 'baton' } } }];
}

function records(turn: Turn, ids: CallIds): readonly Message[] {
  if (turn.role === 'user') {
    const extra = turn.aside === true ? { extra: { isMeta: true } } : {};
    return [{ type: 'user', message: { role: 'user', content: userContent(turn.blocks) }, ...extra }];
  }
  const results: JsonObject[] = [];
  const content = turn.parts.map((part) => assistantBlock(part, ids, results));
  const answer: Message = {
    type: 'assistant',
    message: {
      type: 'message',
      role: 'assistant',
      model: synthetic,
      content,
      stop_reason: results.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    },
  };
  return results.length === 0 ? [answer] : [answer, { type: 'user', message: { role: 'user', content: results } }];
}

/** Answers to calls are collected in `results`, in the order of the calls. */
function assistantBlock(part: Part, ids: CallIds, results: JsonObject[]): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'foreign':
      return { type: 'text', text: foreignText(part.name, part.input, part.result) };
    case 'call': {
      const id = uniqueId(part.id, ids);
      results.push({
        type: 'tool_result',
        tool_use_id: id,
        content: resultContent(part.result.content),
        is_error: part.result.isError,
      });
      return { type: 'tool_use', id, name: part.name, input: part.input };
    }
  }
}

function userContent(blocks: readonly UserBlock[]): JsonValue {
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks.map(userBlock);
}

function resultContent(blocks: readonly UserBlock[]): JsonValue {
  const [first] = blocks;
  if (first === undefined) return '';
  // An empty text block is refused by the API, an empty result is not.
  const filled = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  return blocks.length === 1 && first.type === 'text' ? first.text : filled.map(userBlock);
}

/** Which pictures are taken is decided before (pictures.ts). */
function userBlock(block: UserBlock): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.data !== undefined)
    return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
  return block.url === undefined ? { type: 'text', text: '[image]' } : { type: 'image', source: { type: 'url', url: block.url } };
}

/**
 * Ids outside this alphabet are refused by the API; an id that comes again makes the program take the second call for broken.
 * So does an id that is another one with `_` and digits behind it (2.1.332 takes it for its own mark of a double and drops
 * the result), so none ends like that.
 */
function uniqueId(id: string, { used, suffix }: CallIds): string {
  const clean =
    id
      .replaceAll(/[^A-Za-z0-9_-]/g, '_')
      .slice(0, 56 - suffix.length)
      .replace(/_(\d+)$/, '-$1') || 'toolu_loom';
  const base = `${clean}${suffix}`;
  let unique = base;
  for (let n = 2; used.has(unique); n++) unique = `${base}-${n}`;
  used.add(unique);
  return unique;
}

/** A UUID that only this record has. */
function recordId(salt: string, index: number): string {
  const hex = hashed(`${salt}/${index}`);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

export function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
