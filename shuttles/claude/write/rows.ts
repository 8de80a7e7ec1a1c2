/**
 * Turns as records: the full envelope, parents in one line, times that rise by a millisecond and end at the time of writing,
 * ids of messages and calls that are unique in the file and made only of [A-Za-z0-9_-].
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import type { WriteRequest } from '../../contract/shuttle.ts';
import { foreignText } from './foreign.ts';
import type { Part, Turn } from './turns.ts';

/** What the program writes where no model of its own answered. */
const synthetic = '<synthetic>';
/** The newest version that was seen to resume such a file; it only fills the envelope. */
const knownVersion = '2.1.332';

/** Image types that the API takes; it refuses the whole request for any other. */
const readable = /^image\/(png|jpeg|gif|webp)$/;

/** A record before it has its place in the line. */
interface Message {
  readonly type: 'user' | 'assistant';
  readonly message: JsonObject;
  readonly extra?: JsonObject;
}

export function rows(request: WriteRequest, turns: readonly Turn[]): readonly JsonObject[] {
  const used = new Set<string>();
  const messages = [...opening(request, turns), ...turns.flatMap((turn) => records(turn, used))];
  const start = request.now - messages.length;
  const envelope = {
    isSidechain: false,
    userType: 'external',
    entrypoint: 'cli',
    cwd: request.cwd,
    sessionId: request.nativeId,
    version: /\d+\.\d+\.\d+/.exec(request.programVersion ?? '')?.[0] ?? knownVersion,
    gitBranch: request.branch ?? 'HEAD',
  };
  const short = request.nativeId.replaceAll('-', '').slice(0, 12);
  const out: JsonObject[] = [];
  let parent: string | null = null;
  for (const [index, { type, message, extra }] of messages.entries()) {
    const uuid = recordId(request.nativeId, index);
    out.push({
      parentUuid: parent,
      ...envelope,
      type,
      message: type === 'assistant' ? { id: `msg_loom_${short}_${index}`, ...message } : message,
      uuid,
      timestamp: new Date(start + index + 1).toISOString(),
      ...extra,
    });
    parent = uuid;
  }
  return [...out, { type: 'custom-title', customTitle: request.title, sessionId: request.nativeId }];
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

function records(turn: Turn, used: Set<string>): readonly Message[] {
  if (turn.role === 'user') return [{ type: 'user', message: { role: 'user', content: userContent(turn.blocks) } }];
  const results: JsonObject[] = [];
  const content = turn.parts.map((part) => assistantBlock(part, used, results));
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
function assistantBlock(part: Part, used: Set<string>, results: JsonObject[]): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'foreign':
      return { type: 'text', text: foreignText(part.name, part.input, part.result) };
    case 'call': {
      const id = uniqueId(part.id, used);
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

function userBlock(block: UserBlock): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.data !== undefined && readable.test(block.mimeType))
    return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
  if (block.url !== undefined && /^https?:\/\//.test(block.url))
    return { type: 'image', source: { type: 'url', url: block.url } };
  return { type: 'text', text: '[image]' };
}

/**
 * Ids outside this alphabet are refused by the API; an id that comes again makes the program take the second call for broken.
 * So does an id that is another one with `_` and digits behind it (2.1.332 takes it for its own mark of a double and drops
 * the result), so none ends like that.
 */
function uniqueId(id: string, used: Set<string>): string {
  const base =
    id
      .replaceAll(/[^A-Za-z0-9_-]/g, '_')
      .slice(0, 56)
      .replace(/_(\d+)$/, '-$1') || 'toolu_loom';
  let unique = base;
  for (let n = 2; used.has(unique); n++) unique = `${base}-${n}`;
  used.add(unique);
  return unique;
}

/** A UUID that only this record of this session has. */
function recordId(nativeId: string, index: number): string {
  const hex = createHash('sha256').update(`${nativeId.toLowerCase()}/${index}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
