/** What the statements of a baton pass before they leave: masked with all that was learnt, orders of others kept back and counted. */
import type { Statement } from './baton.ts';
import type { Note } from './baton-state.ts';
import { collapseInstructions, isInstructionLike, omission } from './instruction-like.ts';
import type { Masker } from './mask.ts';
import { inlineText } from './quote.ts';

/** Masks again, and keeps back what reads like an order in text that the person did not write. Counts what it keeps back. */
export class Sieve {
  readonly #masker: Masker;
  omitted = 0;
  constructor(masker: Masker) {
    this.#masker = masker;
  }
  own(text: string): string {
    return this.#masker.mask(text).text;
  }
  /** One line of somebody else's. */
  foreign(text: string, source = 'the transcript'): string {
    const masked = this.own(text);
    if (!isInstructionLike(masked)) return masked;
    this.omitted++;
    return omission(source);
  }
  passage(text: string, source: string): string {
    const { text: out, omitted } = collapseInstructions(this.own(text), source);
    this.omitted += omitted;
    return out;
  }
  /** Statements of the agent's or the person's; one of the agent's that reads like an order is dropped whole. */
  statements(notes: readonly Note[]): readonly Statement[] {
    const out: Statement[] = [];
    for (const note of notes) {
      const text = this.own(note.text);
      if (note.trust !== 'user' && isInstructionLike(text)) this.omitted++;
      else out.push({ text: inlineText(text), entries: note.entries, trust: note.trust });
    }
    return out;
  }
}
