/** The sections of a packet, and the forms of a piece: a line that stays whole, a bullet with its evidence, a quotation that can be shortened. */
import type { Statement } from './baton.ts';
import { clipMiddle } from './clean-text.ts';
import type { Piece } from './packing.ts';
import { blockQuote } from './quote.ts';
import { quarterTokens } from './token-estimate.ts';

/** In drawing order. */
export const sectionTitles = {
  goal: 'Goal',
  constraints: "Constraints (the person's words)",
  plan: 'Plan',
  questions: 'Open questions',
  open: 'Open calls (outcome unknown)',
  decisions: 'Decisions and findings',
  failed: 'Failed or ruled out',
  world: 'World',
  files: 'Files changed',
  turns: 'Last turns',
  summary: "The harness's own summary",
  pointer: 'Full history',
} as const;
export type Section = keyof typeof sectionTitles;

export function plain(section: Section, order: number, text: string): Piece {
  const cost = quarterTokens(text);
  return { section, order, fit: (quarters) => (cost <= quarters ? text : null) };
}
export function bullet(section: Section, order: number, text: string, entries: readonly number[]): Piece {
  return plain(section, order, `- ${text}${entries.length === 0 ? '' : ` ${evidenceText(entries)}`}\n`);
}

/** Words of the person or the agent behind `> `, shortened in their middle to fit; not to less than 80 characters. */
export function quotation(section: Section, order: number, lead: string, statement: Statement): Piece {
  return {
    section,
    order,
    fit: (quarters) => {
      let limit = statement.text.length;
      for (;;) {
        const text = `${lead}${blockQuote(clipMiddle(statement.text, limit))}\n`;
        const cost = quarterTokens(text);
        if (cost <= quarters) return text;
        if (limit <= 80) return null;
        limit = Math.max(80, Math.min(Math.floor(limit * 0.9), Math.floor((limit * quarters) / cost)));
      }
    },
  };
}

export function evidenceText(entries: readonly number[]): string {
  const shown = entries.length <= 4 ? entries : [...entries.slice(0, 2), ...entries.slice(-2)];
  return `[${shown.map((id) => `e${id}`).join(',')}]`;
}
