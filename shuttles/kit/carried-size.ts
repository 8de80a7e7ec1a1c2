/**
 * What carried turns cost a model, in tokens, and how their texts are cut: both ends stay, and what is missing between them is said. Pure.
 */
import type { UserBlock } from '../contract/message.ts';
import { blocksText } from './carried-call.ts';
import type { CarriedPart, CarriedResult, CarriedTurn } from './carried-turns.ts';
import { tokensOf } from './tokens.ts';

/** Of a picture of common size, by the estimates of the vendors. */
const pictureTokens = 1200;
/** What a call costs beside its input and output: ids, names, braces. */
const callFrame = 40;

/** Turns never change: each is counted once. */
const counted = new WeakMap<CarriedTurn, number>();

export function turnTokens(turn: CarriedTurn): number {
  const known = counted.get(turn);
  if (known !== undefined) return known;
  const tokens = turn.role === 'user' ? blocksTokens(turn.blocks) : sum(turn.parts, partTokens);
  counted.set(turn, tokens);
  return tokens;
}

export function turnsTokens(turns: readonly CarriedTurn[]): number {
  return sum(turns, turnTokens);
}

export function partTokens(part: CarriedPart): number {
  switch (part.kind) {
    case 'text':
      return tokensOf(part.text);
    case 'picture':
      return pictureTokens;
    case 'call':
    case 'told': {
      const input = part.input === undefined ? 0 : tokensOf(JSON.stringify(part.input));
      return input + (part.result === undefined ? 0 : blocksTokens(part.result.content)) + callFrame;
    }
  }
}

function blocksTokens(blocks: readonly UserBlock[]): number {
  const pictures = blocks.filter((block) => block.type === 'image').length;
  return tokensOf(blocksText(blocks)) + pictures * pictureTokens;
}

/** Every text of the turn is at most about `max` characters long. */
export function cutTurn(turn: CarriedTurn, max: number): CarriedTurn {
  if (turn.role === 'user') return { ...turn, blocks: cutBlocks(turn.blocks, max) };
  return { ...turn, parts: turn.parts.map((part) => cutPart(part, max)) };
}

/** Only outputs of tools are cut. */
export function cutOutputs(turn: CarriedTurn, max: number): CarriedTurn {
  if (turn.role === 'user') return turn;
  return {
    ...turn,
    parts: turn.parts.map((part): CarriedPart => {
      if (part.kind === 'call') return { ...part, result: cutResult(part.result, max) };
      if (part.kind === 'told' && part.result !== undefined) return { ...part, result: cutResult(part.result, max) };
      return part;
    }),
  };
}

function cutPart(part: CarriedPart, max: number): CarriedPart {
  switch (part.kind) {
    case 'text':
      return { ...part, text: middleCut(part.text, max) };
    case 'picture':
      return part;
    case 'call':
    case 'told': {
      const text = part.input === undefined ? '' : JSON.stringify(part.input);
      const result = part.result === undefined ? undefined : cutResult(part.result, max);
      // A call whose input was cut is no longer a call that could be made.
      if (text.length > max) return { kind: 'told', name: part.name, input: { input: middleCut(text, max) }, result };
      return part.kind === 'call' ? { ...part, result: result ?? part.result } : { ...part, result };
    }
  }
}

function cutResult(result: CarriedResult, max: number): CarriedResult {
  return { isError: result.isError, content: cutBlocks(result.content, max) };
}

/** Each text shortened in its middle. */
export function cutBlocks(blocks: readonly UserBlock[], max: number): readonly UserBlock[] {
  return blocks.map((block) => (block.type === 'text' ? { ...block, text: middleCut(block.text, max) } : block));
}

export function middleCut(text: string, max: number): string {
  if (text.length <= max) return text;
  const [head, tail] = [text.slice(0, Math.ceil(max * 0.7)), text.slice(text.length - Math.floor(max * 0.3))];
  return `${head.toWellFormed()}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail.toWellFormed()}`;
}

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((total, item) => total + size(item), 0);
}
