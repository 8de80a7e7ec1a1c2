/** What a session that Loom wrote or went on with says of that, and the words and sizes that both have in common. */
import type { Body } from './entries.ts';

/** As a person calls it. */
export const program = 'pi';

/**
 * Tokens of a carried conversation. Which model the person has in pi is not known: one with a window of 128,000 tokens takes this beside
 * pi's own instructions and the room that pi keeps for the answer, so that nothing is compacted before the first request.
 */
export const windowTokens = 90_000;

/** Stored by pi, never sent. */
export function originBody(now: number): Body {
  return { type: 'custom', customType: 'loom.origin', data: { form: 1, at: new Date(now).toISOString() } };
}

export function turnsLeftOut(turns: number): string {
  return turns === 0 ? '' : `[${turns} earlier turns are left out here. The hand-over note above stands for them.]`;
}
