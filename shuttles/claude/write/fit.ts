/**
 * Makes a transcript small enough for the target's window: a model with 200,000 tokens takes about 600 KB of text. First the
 * oldest long outputs are shortened, then the oldest turns go (the baton stands for them), and only then is a single text cut.
 * Whatever was left out is said in the transcript and to the person.
 */
import type { UserBlock } from '../../contract/message.ts';
import { blocksText } from './foreign.ts';
import type { Part, Result, Turn } from './turns.ts';

export const textLimit = 600_000;
const imageLimit = 8_000_000;
/** Outputs are cut to about this many characters, single texts to the larger one. */
const shortOutput = 1500;
const longestText = 50_000;

export interface Fitted {
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

export function fit(given: readonly Turn[], baton: string): Fitted {
  const warnings: string[] = [];
  const budget = textLimit - Buffer.byteLength(baton);
  let turns = dropImages(given, warnings);
  let size = turns.reduce((sum, turn) => sum + turnSize(turn), 0);
  if (size <= budget) return { turns, warnings };

  let shortened = 0;
  turns = turns.map((turn) => {
    if (size <= budget) return turn;
    const small = shortenOutputs(turn);
    const saved = turnSize(turn) - turnSize(small);
    if (saved > 0) shortened++;
    size -= saved;
    return small;
  });
  if (shortened > 0)
    warnings.push(`The outputs of older tool calls were shortened (${shortened} turns) to fit into Claude Code's window.`);
  if (size <= budget) return { turns, warnings };

  const { kept, left } = dropOldest(turns, size, budget);
  if (left > 0)
    warnings.push(
      `The oldest ${left} of ${turns.length} turns were left out to fit into Claude Code's window; the hand-over note stands for them.`,
    );
  const note: Turn = {
    role: 'user',
    blocks: [{ type: 'text', text: `[${left} earlier turns are left out here. The hand-over note above stands for them.]` }],
  };
  const cutTurns = cutTexts(kept, budget);
  if (cutTurns !== kept) warnings.push('Very long texts of the newest turns were shortened to fit into Claude Code’s window.');
  return { turns: left > 0 ? [note, ...cutTurns] : cutTurns, warnings };
}

/** From the beginning, up to the next prompt at which the rest fits; the newest prompt and what follows it always stay. */
function dropOldest(
  turns: readonly Turn[],
  size: number,
  budget: number,
): { readonly kept: readonly Turn[]; readonly left: number } {
  const last = turns.findLastIndex((turn) => turn.role === 'user');
  let at = 0;
  let rest = size;
  while (at < last && (rest > budget || turns[at]?.role !== 'user')) {
    const turn = turns[at];
    if (turn !== undefined) rest -= turnSize(turn);
    at++;
  }
  return { kept: turns.slice(at), left: at };
}

function cutTexts(turns: readonly Turn[], budget: number): readonly Turn[] {
  let size = turns.reduce((sum, turn) => sum + turnSize(turn), 0);
  if (size <= budget) return turns;
  return turns.map((turn) => {
    if (size <= budget) return turn;
    const small = cutTurn(turn, Math.max(2000, Math.min(longestText, Math.floor(budget / (turns.length * 4)))));
    size -= turnSize(turn) - turnSize(small);
    return small;
  });
}

function cutTurn(turn: Turn, max: number): Turn {
  if (turn.role === 'user') return { ...turn, blocks: cutBlocks(turn.blocks, max) };
  return {
    ...turn,
    parts: turn.parts.map((part): Part => {
      if (part.kind === 'text') return { ...part, text: middleCut(part.text, max) };
      const input =
        Buffer.byteLength(JSON.stringify(part.input)) <= max ? part.input : { input: middleCut(JSON.stringify(part.input), max) };
      const result = part.result === undefined ? undefined : cutResult(part.result, max);
      // A call whose input was cut is no longer a call that could be made.
      if (part.kind === 'call' && input === part.input) return { ...part, result: result ?? part.result };
      return { kind: 'foreign', name: part.name, input, result };
    }),
  };
}

function shortenOutputs(turn: Turn): Turn {
  if (turn.role === 'user') return turn;
  return {
    ...turn,
    parts: turn.parts.map((part): Part => {
      if (part.kind === 'text' || part.result === undefined) return part;
      return part.kind === 'call'
        ? { ...part, result: cutResult(part.result, shortOutput) }
        : { ...part, result: cutResult(part.result, shortOutput) };
    }),
  };
}

function cutResult(result: Result, max: number): Result {
  return { ...result, content: cutBlocks(result.content, max) };
}

function cutBlocks(blocks: readonly UserBlock[], max: number): readonly UserBlock[] {
  return blocks.map((block) => (block.type === 'text' ? { ...block, text: middleCut(block.text, max) } : block));
}

function middleCut(text: string, max: number): string {
  if (text.length <= max) return text;
  const [head, tail] = [text.slice(0, Math.ceil(max * 0.7)), text.slice(text.length - Math.floor(max * 0.3))];
  return `${head.toWellFormed()}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail.toWellFormed()}`;
}

function turnSize(turn: Turn): number {
  if (turn.role === 'user') return Buffer.byteLength(blocksText(turn.blocks));
  return turn.parts.reduce((sum, part) => {
    if (part.kind === 'text') return sum + Buffer.byteLength(part.text);
    return (
      sum +
      Buffer.byteLength(JSON.stringify(part.input)) +
      (part.result === undefined ? 0 : Buffer.byteLength(blocksText(part.result.content)))
    );
  }, 0);
}

/** The newest images stay, up to what one request may carry. */
function dropImages(turns: readonly Turn[], warnings: string[]): readonly Turn[] {
  let room = imageLimit;
  let dropped = 0;
  const keep = (blocks: readonly UserBlock[]): readonly UserBlock[] =>
    blocks.map((block) => {
      if (block.type !== 'image' || block.data === undefined) return block;
      room -= block.data.length;
      if (room >= 0) return block;
      dropped++;
      return { type: 'text', text: '[image left out]' };
    });
  const kept = turns
    .toReversed()
    .map((turn): Turn => {
      if (turn.role === 'user') return { ...turn, blocks: keep(turn.blocks) };
      return {
        ...turn,
        parts: turn.parts.map((part): Part => {
          if (part.kind !== 'call') return part;
          return { ...part, result: { ...part.result, content: keep(part.result.content) } };
        }),
      };
    })
    .toReversed();
  if (dropped > 0)
    warnings.push(`${dropped} older images were left out: a request to Claude Code's model cannot carry them all.`);
  return dropped > 0 ? kept : turns;
}
