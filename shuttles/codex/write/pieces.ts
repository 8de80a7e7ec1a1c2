/**
 * The derived context as turns of pieces that a rollout can hold. Shell calls stay calls, because Codex's own shell tool takes
 * the same command; every other agent's call becomes labelled, quoted text with its result. Thinking, system prompts and
 * what Codex says about its surroundings itself are left out.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { AssistantBlock, ImageBlock, Message, ToolCallBlock, ToolResultMessage, UserBlock } from '../../contract/message.ts';
import { asArray, bool, field, filled, str } from '../../kit/fields.ts';
import { commandText } from '../read/actions.ts';
import { textOf } from '../read/content.ts';
import { isInjected } from '../read/prompt.ts';

export interface Result {
  readonly text: string;
  readonly images: readonly ImageBlock[];
  readonly isError: boolean;
}
export type Piece =
  /** `heading`: a line that only a person sees before it, in Codex's picker and transcript. */
  | { readonly kind: 'user'; readonly blocks: readonly UserBlock[]; readonly heading?: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'shell'; readonly id: string; readonly args: JsonObject; readonly result: Result }
  | { readonly kind: 'tool'; readonly name: string; readonly args: JsonObject; readonly result: Result };
export type Turn = readonly Piece[];

export const noResult = 'Interrupted: no output was recorded, so whether the call took effect is unknown.';

/** Ids that are taken, and what is put behind each so that none of the file's own is met. */
interface CallIds {
  readonly used: Set<string>;
  readonly suffix: string;
}

/** Turns begin with the person's messages; what stands before the first one is a turn of its own. */
export function turnsOf(messages: readonly Message[], suffix = ''): readonly Turn[] {
  const results = resultsOf(messages);
  const answered = new Set(results.values());
  const turns: Piece[][] = [];
  const ids: CallIds = { used: new Set(), suffix };
  const newest = (): Piece[] => {
    const turn = turns.at(-1) ?? [];
    if (turns.length === 0) turns.push(turn);
    return turn;
  };
  for (const message of messages) {
    if (message.role === 'user') {
      const blocks = message.content.filter(
        (block) => block.type !== 'text' || (block.text.trim() !== '' && !isInjected(block.text)),
      );
      if (blocks.length > 0) turns.push([{ kind: 'user', blocks }]);
    } else if (message.role === 'assistant') {
      newest().push(...message.content.flatMap((block) => answerPieces(block, results, ids)));
    } else if (message.role === 'toolResult' && !answered.has(message)) {
      // Its call is not here: what it says is kept as a quotation.
      newest().push({ kind: 'tool', name: message.toolName, args: {}, result: resultOf(message) });
    }
  }
  return turns.filter((turn) => turn.length > 0);
}

/** A result answers the newest call with its id that has none; an id may be used again, and a second result has no call. */
function resultsOf(messages: readonly Message[]): ReadonlyMap<ToolCallBlock, ToolResultMessage> {
  const open = new Map<string, ToolCallBlock>();
  const results = new Map<ToolCallBlock, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const block of message.content) if (block.type === 'toolCall') open.set(block.id, block);
    if (message.role !== 'toolResult') continue;
    const call = open.get(message.toolCallId);
    open.delete(message.toolCallId);
    if (call !== undefined) results.set(call, message);
  }
  return results;
}

function answerPieces(
  block: AssistantBlock,
  results: ReadonlyMap<ToolCallBlock, ToolResultMessage>,
  ids: CallIds,
): readonly Piece[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ kind: 'answer', text: block.text }];
    case 'toolCall':
      return [callPiece(block, resultOf(results.get(block)), ids)];
    case 'image':
      return [{ kind: 'tool', name: 'image', args: {}, result: { text: '', images: [block], isError: false } }];
    case 'thinking':
      return [];
  }
}

function callPiece(call: ToolCallBlock, result: Result, ids: CallIds): Piece {
  const args = shellArguments(call);
  return args === undefined
    ? { kind: 'tool', name: call.name, args: call.arguments, result }
    : { kind: 'shell', id: freshId(call.id, ids), args, result };
}

/** An id that the provider takes and that no other call has. */
function freshId(id: string, { used, suffix }: CallIds): string {
  const plain = `${id.replaceAll(/[^\w-]/g, '_').slice(0, 56 - suffix.length) || 'call'}${suffix}`;
  let fresh = plain;
  for (let n = 2; used.has(fresh); n++) fresh = `${plain}_${n}`;
  used.add(fresh);
  return fresh;
}

/** The arguments of Codex's `exec_command` for a call that means exactly the same; undefined: there is no such form. */
function shellArguments(call: ToolCallBlock): JsonObject | undefined {
  const args = call.arguments;
  switch (call.name) {
    case 'Bash':
    case 'bash':
    case 'run_shell_command': {
      const command = filled(args, 'command');
      const elsewhere = bool(args, 'run_in_background') === true || bool(args, 'is_background') === true;
      const workdir = filled(args, 'dir_path') ?? filled(args, 'directory');
      return command === undefined || elsewhere ? undefined : { cmd: command, ...(workdir !== undefined && { workdir }) };
    }
    case 'exec_command':
      return filled(args, 'cmd') === undefined ? undefined : args;
    case 'shell':
    case 'shell_command':
    case 'local_shell': {
      const command = field(args, 'command');
      if (str(args, 'command') === undefined && asArray(command) === undefined) return undefined;
      const workdir = filled(args, 'workdir') ?? filled(args, 'working_directory');
      const cmd = commandText(command);
      return cmd === '' ? undefined : { cmd, ...(workdir !== undefined && { workdir }) };
    }
    default:
      return undefined;
  }
}

function resultOf(message: ToolResultMessage | undefined): Result {
  if (message === undefined) return { text: noResult, images: [], isError: true };
  const images = message.content.filter((block) => block.type === 'image');
  return { text: textOf(message.content), images, isError: message.isError };
}
