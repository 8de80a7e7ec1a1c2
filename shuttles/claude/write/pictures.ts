/**
 * Pictures as Claude's API takes them: PNG, JPEG, GIF or WebP as their own bytes say, at most 5 MiB of base64 and 8,000 pixels a side.
 * One that it refuses makes it refuse every later request of the session, so such a picture becomes a word. Of many the newest stay:
 * beyond 20 the API allows only small ones, and one request carries so much.
 */
import type { UserBlock } from '../../contract/message.ts';
import { pictureFacts } from '../../kit/picture.ts';
import type { Part, Turn } from './turns.ts';

const largest = 5 * 1024 * 1024;
const longestSide = 8000;
const most = 20;
/** Characters of base64 in all. */
const room = 8_000_000;

export function withPictures(turns: readonly Turn[], warnings: string[]): readonly Turn[] {
  const left = { pictures: most, room };
  let refused = 0;
  let old = 0;
  const keep = (block: UserBlock): UserBlock => {
    if (block.type === 'text') return block;
    const taken = accepted(block);
    if (taken.type === 'text') {
      refused++;
      return taken;
    }
    const size = taken.data?.length ?? 0;
    if (left.pictures === 0 || size > left.room) {
      old++;
      return { type: 'text', text: '[image left out]' };
    }
    left.pictures--;
    left.room -= size;
    return taken;
  };
  // The newest first, in what is kept as in what is counted.
  const all = (blocks: readonly UserBlock[]): readonly UserBlock[] => blocks.toReversed().map(keep).toReversed();
  const kept = turns.toReversed().map((turn): Turn => {
    if (turn.role === 'user') return { ...turn, blocks: all(turn.blocks) };
    const parts = turn.parts.toReversed().map((part): Part => {
      return part.kind === 'call' ? { ...part, result: { ...part.result, content: all(part.result.content) } } : part;
    });
    return { ...turn, parts: parts.toReversed() };
  });
  if (old > 0) warnings.push(`${old} older images were left out: a request to Claude Code's model cannot carry them all.`);
  if (refused > 0) warnings.push(`${refused} images were left out: Claude Code's model does not take their type or size.`);
  return kept.toReversed();
}

function accepted(image: Extract<UserBlock, { type: 'image' }>): UserBlock {
  if (image.data === undefined)
    return image.url !== undefined && /^https?:\/\//.test(image.url) ? image : { type: 'text', text: '[image]' };
  const facts = image.data.length > largest ? undefined : pictureFacts(image.data);
  const side = Math.max(facts?.width ?? 0, facts?.height ?? 0);
  if (facts === undefined || side > longestSide) return { type: 'text', text: '[image]' };
  return { type: 'image', mimeType: facts.mimeType, data: image.data };
}
