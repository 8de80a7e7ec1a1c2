/**
 * Makes a transcript small enough for the target's window of 200,000 tokens, of which the program's own instructions and tools take
 * some 25,000 and its compaction begins before the end. First the oldest long outputs are shortened, then the oldest turns go (the baton
 * stands for them), and only then is a single text cut. Sizes are tokens, limits of single texts are signs. Whatever was left out is
 * said in the transcript and to the person.
 */
import type { UserBlock } from '../../contract/message.ts';
import { cutBlocks, middleCut } from '../../kit/carried-size.ts';
import { tokensOf } from '../../kit/tokens.ts';
import { withPictures } from './pictures.ts';
import type { Part, Result, Turn } from './turns.ts';

export const windowRoom = 120_000;
/** What a picture costs, whatever its size on disk. */
const pictureTokens = 1600;
/** Outputs are cut to about this many signs, single texts to the larger one. */
const shortOutput = 1500;
const longestText = 50_000;
/** Kept free for the prompt of an exchange whose beginning is left out. */
const promptRoom = 20_000;
/** What a call costs beside its input and output: ids, names, braces. */
const callFrame = 30;
/** What a turn costs beside its words. */
const turnFrame = 8;

const stepsLeftOut = '[Earlier steps of this turn are left out here. The hand-over note at the beginning stands for them.]';

export interface Fitted {
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

/** `room`: tokens that the turns and the baton may take. */
export function fit(given: readonly Turn[], baton: string, room = windowRoom): Fitted {
  const warnings: string[] = [];
  const budget = room - tokensOf(baton);
  let turns = withPictures(given, warnings);
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

  const { kept, left, gap, cut } = newestTurns(turns, budget);
  if (left > 0)
    warnings.push(
      `The oldest ${left} of ${turns.length} turns were left out to fit into Claude Code's window; the hand-over note stands for them.`,
    );
  if (gap) warnings.push('The first steps of the oldest turn that was kept were left out: it is too long for the window.');
  const cutTurns = cutTexts(kept, budget);
  if (cut || cutTurns !== kept)
    warnings.push('Very long texts of the newest turns were shortened to fit into Claude Code’s window.');
  return { turns: left > 0 ? [leftOut(left), ...cutTurns] : cutTurns, warnings };
}

function leftOut(turns: number): Turn {
  return {
    role: 'user',
    blocks: [{ type: 'text', text: `[${turns} earlier turns are left out here. The hand-over note above stands for them.]` }],
  };
}

/**
 * The newest turns that fit. One prompt may be followed by thousands of calls, so the oldest kept exchange may lack its beginning:
 * then its prompt stays, and the gap behind it is said. `left`: turns of which nothing is kept; `gap`: one is kept in part; `cut`: a
 * text of what is kept was shortened.
 */
function newestTurns(
  turns: readonly Turn[],
  budget: number,
): { readonly kept: readonly Turn[]; readonly left: number; readonly gap: boolean; readonly cut: boolean } {
  let room = budget - promptRoom;
  let at = turns.length;
  let inPart = false;
  let cut = false;
  const kept: Turn[] = [];
  while (at > 0) {
    const turn = turns[at - 1];
    if (turn === undefined) break;
    const size = turnSize(turn);
    if (size > room) {
      const part = kept.length === 0 ? newestParts(cutTurn(turn, longestText), room, 1) : newestParts(turn, room, 0);
      if (part !== undefined) {
        kept.unshift(part);
        at--;
        inPart = part.role === 'assistant';
        cut = kept.length === 1;
      }
      break;
    }
    kept.unshift(turn);
    room -= size;
    at--;
  }
  const [first, ...rest] = kept;
  const asked = turns.slice(0, at).findLastIndex((turn) => turn.role === 'user' && turn.aside !== true);
  const prompt = turns[asked];
  if (first?.role !== 'assistant' || prompt === undefined) return { kept, left: at, gap: inPart, cut };
  const short = cutTurn(prompt, promptRoom);
  cut ||= turnSize(short) < turnSize(prompt);
  const between = at - asked - 1;
  const resumed: Turn =
    between === 0 || inPart ? first : { role: 'assistant', parts: [{ kind: 'text', text: stepsLeftOut }, ...first.parts] };
  return { kept: [short, resumed, ...rest], left: at - 1, gap: inPart || between > 0, cut };
}

/** The newest parts of an answer that fit, at least `least` of them; undefined: none, or it is a prompt that may go. */
function newestParts(turn: Turn, room: number, least: number): Turn | undefined {
  if (turn.role === 'user') return least > 0 ? turn : undefined;
  let size = 0;
  const from = turn.parts.findLastIndex((part) => (size += partSize(part)) > room) + 1;
  const parts = turn.parts.slice(Math.min(from, turn.parts.length - least));
  if (parts.length === turn.parts.length) return turn;
  return parts.length === 0 ? undefined : { role: 'assistant', parts: [{ kind: 'text', text: stepsLeftOut }, ...parts] };
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
      const input = JSON.stringify(part.input).length <= max ? part.input : { input: middleCut(JSON.stringify(part.input), max) };
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

function turnSize(turn: Turn): number {
  return turnFrame + (turn.role === 'user' ? blocksSize(turn.blocks) : turn.parts.reduce((sum, part) => sum + partSize(part), 0));
}

function partSize(part: Part): number {
  if (part.kind === 'text') return tokensOf(part.text);
  return tokensOf(JSON.stringify(part.input)) + blocksSize(part.result?.content ?? []) + callFrame;
}

function blocksSize(blocks: readonly UserBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.type === 'text' ? tokensOf(block.text) : pictureTokens), 0);
}
