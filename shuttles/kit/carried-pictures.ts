/**
 * Which pictures may go: those that a server takes, the newest first, up to what one request can carry. Servers refuse a whole request
 * for one picture that is of another type than it claims, too large or only referred to; those become a line of text. Pure.
 */
import type { ImageBlock, UserBlock } from '../contract/message.ts';
import type { CarriedPart, CarriedTurn } from './carried-turns.ts';
import { oneLine } from './fields.ts';
import { pictureFacts } from './picture.ts';

/** Characters of base64, of all pictures together and of one (the smallest limit of the vendors: 5 MiB), and pixels of a side. */
const allPictures = 8_000_000;
const onePicture = 5 * 1024 * 1024;
const longestSide = 8000;

export interface Pictured {
  readonly turns: readonly CarriedTurn[];
  /** Pictures that could have gone, had there been room. */
  readonly leftOut: number;
}

export function withPictures(turns: readonly CarriedTurn[]): Pictured {
  let room = allPictures;
  let leftOut = 0;
  const checked = (image: ImageBlock): UserBlock => {
    const data = image.data;
    const facts = data === undefined ? undefined : pictureFacts(data);
    if (data === undefined || facts === undefined) return asText(oneLine(image.url ?? image.mimeType, 300));
    if (data.length > onePicture || Math.max(facts.width ?? 0, facts.height ?? 0) > longestSide) return asText('too large');
    room -= data.length;
    if (room >= 0) return { type: 'image', mimeType: facts.mimeType, data };
    leftOut++;
    return asText('left out');
  };
  const blocks = (given: readonly UserBlock[]): readonly UserBlock[] =>
    newestFirst(given, (block) => (block.type === 'image' ? checked(block) : block));
  const part = (given: CarriedPart): CarriedPart => {
    switch (given.kind) {
      case 'text':
        return given;
      case 'picture': {
        const block = checked(given.image);
        return block.type === 'text' ? { kind: 'text', text: block.text } : { kind: 'picture', image: block };
      }
      case 'call':
        return { ...given, result: { ...given.result, content: blocks(given.result.content) } };
      case 'told':
        return given.result === undefined
          ? given
          : { ...given, result: { ...given.result, content: blocks(given.result.content) } };
    }
  };
  const chosen = newestFirst(turns, (turn): CarriedTurn => {
    return turn.role === 'user' ? { ...turn, blocks: blocks(turn.blocks) } : { ...turn, parts: newestFirst(turn.parts, part) };
  });
  return { turns: chosen, leftOut };
}

function newestFirst<T>(items: readonly T[], make: (item: T) => T): readonly T[] {
  return items.toReversed().map(make).toReversed();
}

function asText(what: string): UserBlock {
  return { type: 'text', text: `[image: ${what}]` };
}
