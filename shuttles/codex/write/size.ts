/**
 * Keeps a written session well inside a model's window of 272,000 tokens, of which Codex's own instructions and tools take some 20,000:
 * a resumed rollout is sent whole (0.171). The oldest tool outputs are shortened first, then the oldest turns go, for which the baton
 * stands. Sizes are tokens, limits of single texts are signs. Pure; what was lost is said.
 */
import { tokensOf } from '../../kit/tokens.ts';
import type { Piece, Turn } from './pieces.ts';

export const windowRoom = 160_000;
/** Characters of base64 in all. */
export const imageLimit = 12_000_000;
const imageTokens = 1600;
const shortOutput = 2000;
/** For the prompt of a turn whose beginning is left out, and for the words that say what is missing. */
const promptRoom = 40_000;
const noteSize = 500;
/** What a piece costs beside its words. */
const pieceFrame = 30;

const stepsLeftOut = '[Earlier steps of this turn are left out here. The hand-over note at the beginning stands for them.]';

export interface Fitted {
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

/** `room`: tokens that the turns may take. */
export function fit(turns: readonly Turn[], room: number): Fitted {
  const pictures = withoutOldPictures(turns);
  const shortened = shortenOutputs(pictures.turns, room);
  const dropped = dropTurns(shortened.turns, room);
  const warnings = [
    pictures.lost > 0 ? `${pictures.lost} of the oldest pictures were left out, because they are too large.` : '',
    shortened.lost > 0 ? `${shortened.lost} of the oldest tool outputs were shortened, because the thread is too long.` : '',
    dropped.lost > 0
      ? `The ${dropped.lost} oldest turns were left out, because the thread is too long; the baton stands for them.`
      : '',
    dropped.gap === true ? 'The first steps of the oldest turn that was kept were left out, because it is too long.' : '',
  ];
  return { turns: dropped.turns, warnings: warnings.filter((warning) => warning !== '') };
}

export function sizeOf(piece: Piece): number {
  switch (piece.kind) {
    case 'user':
      return piece.blocks.reduce(
        (size, block) => size + (block.type === 'text' ? tokensOf(block.text) : imageTokens),
        pieceFrame,
      );
    case 'answer':
      return tokensOf(piece.text) + pieceFrame;
    case 'shell':
    case 'tool':
      return (
        tokensOf(JSON.stringify(piece.args)) + tokensOf(piece.result.text) + piece.result.images.length * imageTokens + pieceFrame
      );
  }
}

/** Both ends of a long text, with a note of what is missing between them. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.7);
  const tail = limit - head;
  return `${text.slice(0, head)}\n[… ${text.length - limit} characters left out …]\n${text.slice(text.length - tail)}`;
}

interface Step {
  readonly turns: readonly Turn[];
  readonly lost: number;
  /** The oldest turn that was kept lacks its beginning. */
  readonly gap?: boolean;
}

function shortenOutputs(turns: readonly Turn[], room: number): Step {
  let total = sum(turns);
  let lost = 0;
  const fitted = turns.map((turn) =>
    turn.map((piece) => {
      if (total <= room || (piece.kind !== 'shell' && piece.kind !== 'tool') || piece.result.text.length <= shortOutput)
        return piece;
      const short = { ...piece, result: { ...piece.result, text: shorten(piece.result.text, shortOutput) } };
      total -= sizeOf(piece) - sizeOf(short);
      lost += 1;
      return short;
    }),
  );
  return { turns: fitted, lost };
}

/**
 * The newest turns that fit. One prompt may be followed by thousands of calls, so the oldest kept turn may lack its beginning:
 * then its prompt stays, and the gap behind it is said.
 */
function dropTurns(turns: readonly Turn[], room: number): Step {
  if (sum(turns) <= room) return { turns, lost: 0 };
  let left = room - noteSize;
  let at = turns.length;
  let gap = false;
  const kept: Turn[] = [];
  while (at > 0) {
    const turn = turns[at - 1] ?? [];
    const size = sum([turn]);
    if (size > left) {
      const part = newestPieces(kept.length === 0 ? clip(turn, left) : turn, left, kept.length === 0 ? 1 : 0);
      if (part.length > 0) {
        kept.unshift(part);
        at--;
        gap = true;
      }
      break;
    }
    kept.unshift(turn);
    left -= size;
    at--;
  }
  return { turns: at === 0 ? kept : [[turnsLeftOut(at)], ...kept], lost: at, gap };
}

function turnsLeftOut(turns: number): Piece {
  const text = `[${turns} earlier turns are left out here. The hand-over note above stands for them.]`;
  return { kind: 'user', blocks: [{ type: 'text', text }] };
}

/** The prompt and the newest pieces behind it that fit, at least `least` of them; none: [] */
function newestPieces(turn: Turn, room: number, least: number): Turn {
  if (sum([turn]) <= room) return turn;
  const [first] = turn;
  const prompt = first?.kind === 'user' ? clip([first], promptRoom) : [];
  let size = sum([prompt]);
  const behind = turn.slice(prompt.length);
  const from = behind.findLastIndex((piece) => (size += sizeOf(piece)) > room) + 1;
  const newest = behind.slice(Math.max(0, Math.min(from, behind.length - least)));
  if (newest.length === 0) return least > 0 ? prompt : [];
  return [...prompt, { kind: 'answer', text: stepsLeftOut }, ...newest];
}

/** One turn alone is too long: its longest texts are cut, evenly. */
function clip(turn: Turn, room: number): Turn {
  const each = Math.max(2 * shortOutput, Math.floor(room / Math.max(1, turn.length) / 2));
  return turn.map((piece) => {
    if (piece.kind === 'answer') return { ...piece, text: shorten(piece.text, each) };
    if (piece.kind !== 'user')
      return {
        ...piece,
        args: clippedArguments(piece.args, each),
        result: { ...piece.result, text: shorten(piece.result.text, each) },
      };
    return {
      ...piece,
      blocks: piece.blocks.map((block) => (block.type === 'text' ? { ...block, text: shorten(block.text, each) } : block)),
    };
  });
}

function clippedArguments<T extends Piece & { readonly kind: 'shell' | 'tool' }>(args: T['args'], limit: number): T['args'] {
  const text = JSON.stringify(args);
  return text.length <= limit ? args : { input: shorten(text, limit) };
}

function withoutOldPictures(turns: readonly Turn[]): Step {
  let room = imageLimit;
  let lost = 0;
  const keep = (data: string | undefined): boolean => {
    if (data === undefined) return true;
    room -= data.length;
    if (room < 0) lost += 1;
    return room >= 0;
  };
  const newestFirst = turns.toReversed().map((turn) =>
    turn
      .toReversed()
      .map((piece): Piece => {
        if (piece.kind === 'answer') return piece;
        if (piece.kind === 'user') {
          const blocks = piece.blocks.map((block) =>
            block.type === 'text' || keep(block.data) ? block : ({ type: 'text', text: '[image left out]' } as const),
          );
          return { ...piece, blocks };
        }
        return { ...piece, result: { ...piece.result, images: piece.result.images.filter((image) => keep(image.data)) } };
      })
      .toReversed(),
  );
  return { turns: newestFirst.toReversed(), lost };
}

function sum(turns: readonly Turn[]): number {
  return turns.flat().reduce((size, piece) => size + sizeOf(piece), 0);
}
