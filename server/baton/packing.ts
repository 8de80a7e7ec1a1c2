/**
 * Packs pieces into a budget. Pieces come in tiers by importance; each tier first gets its share, so that no part of the
 * baton starves another; what is left over then goes through the tiers in their order. Exact and deterministic: costs are
 * counted in quarters of a token and add up.
 */
import { quarterTokens } from './token-estimate.ts';

export interface Piece {
  readonly section: string;
  /** Place within the section when drawn. */
  readonly order: number;
  /** The piece within that many quarters, whole or shortened, ending in a line feed; null: there is no form so short. */
  readonly fit: (quarters: number) => string | null;
}
export interface Tier {
  /** Part of the budget, 0 to 1, that the tier gets before what is left over is given out. */
  readonly share: number;
  /** Most important first. */
  readonly pieces: readonly Piece[];
}
export interface Packed {
  /** Texts by section in drawing order. */
  readonly sections: ReadonlyMap<string, readonly string[]>;
  /** Pieces left out, by section. */
  readonly left: ReadonlyMap<string, number>;
}

/** `heading` gives what a section costs beside its pieces, once. */
export function pack(tiers: readonly Tier[], budget: number, heading: (section: string) => string): Packed {
  const chosen = new Map<Piece, string>();
  const opened = new Set<string>();
  let free = budget;
  const offer = (piece: Piece, allowance: number): number => {
    const before = chosen.get(piece);
    const paid = before === undefined ? 0 : quarterTokens(before);
    const head = opened.has(piece.section) ? 0 : quarterTokens(heading(piece.section));
    const text = piece.fit(Math.min(allowance, free) + paid - head);
    if (text === null) return 0;
    const cost = quarterTokens(text) + head - paid;
    if (cost > free || (before !== undefined && cost <= 0)) return 0;
    chosen.set(piece, text);
    opened.add(piece.section);
    free -= cost;
    return cost;
  };
  for (const tier of tiers) {
    let allowance = Math.floor(budget * tier.share);
    for (const piece of tier.pieces) allowance -= offer(piece, allowance);
  }
  for (const tier of tiers) for (const piece of tier.pieces) offer(piece, free);
  return drawn(tiers, chosen);
}

function drawn(tiers: readonly Tier[], chosen: ReadonlyMap<Piece, string>): Packed {
  const sections = new Map<string, string[]>();
  const left = new Map<string, number>();
  for (const tier of tiers)
    for (const piece of tier.pieces) if (!chosen.has(piece)) left.set(piece.section, (left.get(piece.section) ?? 0) + 1);
  for (const [piece, text] of [...chosen].toSorted(([a], [b]) => a.order - b.order)) {
    const texts = sections.get(piece.section);
    if (texts === undefined) sections.set(piece.section, [text]);
    else texts.push(text);
  }
  return { sections, left };
}
