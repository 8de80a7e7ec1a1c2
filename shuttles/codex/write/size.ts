/**
 * Keeps a written session well inside a model's window: Codex sends a resumed rollout whole (0.171). The oldest tool outputs
 * are shortened first, then the oldest turns go, for which the baton stands. Pure; what was lost is said.
 */
import type { Piece, Turn } from './pieces.ts';

/** Characters of text in all, and of base64 in pictures. */
export const textLimit = 600_000;
export const imageLimit = 4_000_000;
const shortOutput = 2000;

export interface Fitted {
  readonly turns: readonly Turn[];
  readonly warnings: readonly string[];
}

export function fit(turns: readonly Turn[], reserved: number): Fitted {
  const pictures = withoutOldPictures(turns);
  const room = Math.max(0, textLimit - reserved);
  const shortened = shortenOutputs(pictures.turns, room);
  const dropped = dropTurns(shortened.turns, room);
  const warnings = [
    pictures.lost > 0 ? `${pictures.lost} of the oldest pictures were left out, because they are too large.` : '',
    shortened.lost > 0 ? `${shortened.lost} of the oldest tool outputs were shortened, because the thread is too long.` : '',
    dropped.lost > 0
      ? `The ${dropped.lost} oldest turns were left out, because the thread is too long; the baton stands for them.`
      : '',
  ];
  return { turns: dropped.turns, warnings: warnings.filter((warning) => warning !== '') };
}

export function sizeOf(piece: Piece): number {
  switch (piece.kind) {
    case 'user':
      return piece.blocks.reduce((size, block) => size + (block.type === 'text' ? block.text.length : 100), 0);
    case 'answer':
      return piece.text.length;
    case 'shell':
    case 'tool':
      return JSON.stringify(piece.args).length + piece.result.text.length + 100;
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
}

function shortenOutputs(turns: readonly Turn[], room: number): Step {
  let total = sum(turns);
  let lost = 0;
  const fitted = turns.map((turn) =>
    turn.map((piece) => {
      if (total <= room || (piece.kind !== 'shell' && piece.kind !== 'tool') || piece.result.text.length <= shortOutput)
        return piece;
      const text = shorten(piece.result.text, shortOutput);
      total -= piece.result.text.length - text.length;
      lost += 1;
      return { ...piece, result: { ...piece.result, text } };
    }),
  );
  return { turns: fitted, lost };
}

function dropTurns(turns: readonly Turn[], room: number): Step {
  const sizes = turns.map((turn) => turn.reduce((size, piece) => size + sizeOf(piece), 0));
  let total = sizes.reduce((a, b) => a + b, 0);
  let lost = 0;
  while (total > room && lost < turns.length - 1) {
    total -= sizes[lost] ?? 0;
    lost += 1;
  }
  const kept = turns.slice(lost);
  return { turns: total <= room ? kept : kept.map((turn) => clip(turn, room)), lost };
}

/** One turn alone is too long: its texts are cut evenly. */
function clip(turn: Turn, room: number): Turn {
  const each = Math.max(1000, Math.floor(room / Math.max(1, turn.length)));
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
