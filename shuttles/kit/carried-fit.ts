/**
 * Makes carried turns small enough for a window: first the outputs of the oldest tool calls are shortened, then the oldest turns go (the
 * baton stands for them), and only then is a single text cut, so that the newest turns stay word for word. What was left out is said: to
 * the model where it is missing, to the person in a warning. Pure.
 */
import type { CarriedPart, CarriedTurn } from './carried-turns.ts';
import { withPictures } from './carried-pictures.ts';
import { cutOutputs, cutTurn, partTokens, turnsTokens, turnTokens } from './carried-size.ts';

/** Characters that outputs of old calls are cut to, and single texts of turns that are too long by themselves. */
const shortOutput = 1500;
const longestText = 50_000;
/** Characters kept of the prompt of an exchange whose beginning is left out. */
const promptText = 20_000;

const stepsLeftOut: CarriedPart = {
  kind: 'text',
  text: '[Earlier steps of this turn are left out here. The hand-over note at the beginning stands for them.]',
};

export interface Fitted {
  readonly turns: readonly CarriedTurn[];
  /** How many of the oldest turns are not there: to be said in front of the others. */
  readonly leftOut: number;
  readonly warnings: readonly string[];
}

/** `room` in tokens; `program` as a person calls the target. */
export function fit(given: readonly CarriedTurn[], room: number, program: string): Fitted {
  const warnings: string[] = [];
  const pictures = withPictures(given);
  if (pictures.leftOut > 0)
    warnings.push(`${pictures.leftOut} older images were left out: a request to ${program}'s model cannot carry them all.`);
  let { turns } = pictures;
  let size = turnsTokens(turns);
  if (size <= room) return { turns, leftOut: 0, warnings };

  let shortened = 0;
  turns = turns.map((turn) => {
    if (size <= room) return turn;
    const small = cutOutputs(turn, shortOutput);
    const saved = turnTokens(turn) - turnTokens(small);
    if (saved > 0) shortened++;
    size -= saved;
    return small;
  });
  if (shortened > 0)
    warnings.push(`The outputs of older tool calls were shortened (${shortened} turns) to fit into ${program}'s window.`);
  if (size <= room) return { turns, leftOut: 0, warnings };

  const { kept, left, gap } = newestTurns(turns, room);
  if (left > 0)
    warnings.push(
      `The oldest ${left} of ${turns.length} turns were left out to fit into ${program}'s window; the hand-over note stands for them.`,
    );
  if (gap) warnings.push('The first steps of the oldest turn that was kept were left out: it is too long for the window.');
  const cut = cutTexts(kept, room);
  if (cut !== kept) warnings.push(`Very long texts of the newest turns were shortened to fit into ${program}'s window.`);
  return { turns: cut, leftOut: left, warnings };
}

interface Newest {
  readonly kept: readonly CarriedTurn[];
  /** Turns of which nothing is kept. */
  readonly left: number;
  /** The oldest one is kept in part. */
  readonly gap: boolean;
}

/**
 * The newest turns that fit. One prompt may be followed by thousands of calls, so the oldest kept exchange may lack its beginning: then
 * its prompt stays, and the gap behind it is said.
 */
function newestTurns(turns: readonly CarriedTurn[], budget: number): Newest {
  let room = budget - promptText / 4;
  let at = turns.length;
  let inPart = false;
  const kept: CarriedTurn[] = [];
  for (; at > 0; at--) {
    const turn = turns[at - 1];
    if (turn === undefined) break;
    const size = turnTokens(turn);
    if (size > room) {
      const part = kept.length === 0 ? newestParts(cutTurn(turn, longestText), room, 1) : newestParts(turn, room, 0);
      if (part !== undefined) {
        kept.unshift(part);
        at--;
        inPart = part.role === 'assistant';
      }
      break;
    }
    kept.unshift(turn);
    room -= size;
  }
  const [first, ...rest] = kept;
  const asked = turns.slice(0, at).findLastIndex((turn) => turn.role === 'user');
  const prompt = turns[asked];
  if (first?.role !== 'assistant' || prompt === undefined) return { kept, left: at, gap: inPart };
  const between = at - asked - 1;
  const resumed: CarriedTurn = between === 0 || inPart ? first : { role: 'assistant', parts: [stepsLeftOut, ...first.parts] };
  return { kept: [cutTurn(prompt, promptText), resumed, ...rest], left: at - 1, gap: inPart || between > 0 };
}

/** The newest parts of an answer that fit, at least `least` of them; undefined: none, or it is a prompt that may go. */
function newestParts(turn: CarriedTurn, room: number, least: number): CarriedTurn | undefined {
  if (turn.role === 'user') return least > 0 ? turn : undefined;
  let size = 0;
  const from = turn.parts.findLastIndex((part) => (size += partTokens(part)) > room) + 1;
  const parts = turn.parts.slice(Math.min(from, turn.parts.length - least));
  if (parts.length === turn.parts.length) return turn;
  return parts.length === 0 ? undefined : { role: 'assistant', parts: [stepsLeftOut, ...parts] };
}

function cutTexts(turns: readonly CarriedTurn[], room: number): readonly CarriedTurn[] {
  let size = turnsTokens(turns);
  if (size <= room) return turns;
  // A sign costs two tokens at most.
  const each = Math.max(1000, Math.min(longestText, Math.floor(room / (turns.length * 4))));
  return turns.map((turn) => {
    if (size <= room) return turn;
    const small = cutTurn(turn, each);
    size -= turnTokens(turn) - turnTokens(small);
    return small;
  });
}
