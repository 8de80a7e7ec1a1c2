/** How much of a conversation a written session holds, and the words for what it does not. */

/** As a person calls it. */
export const program = 'Gemini CLI';

/**
 * Tokens of a carried conversation. The windows of Gemini's models are larger, but with more than about 80,000 tokens of tool outputs the
 * program (0.61) masks old ones and writes its history anew, the first turns joined with what it tells of its surroundings, and with the
 * next resume it leaves that message out: the hand-over would be gone.
 */
export const windowTokens = 75_000;

export function turnsLeftOut(turns: number): string {
  return turns === 0 ? '' : `[${turns} earlier turns are left out here. The hand-over note above stands for them.]`;
}
