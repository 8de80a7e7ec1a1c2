/** The order of text in every backend: by code points, which is how a database compares UTF-8, not by UTF-16 units. */

/** Of well-formed text. Negative, zero or positive, as a sort wants it. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/** Surrogates, D800 to DFFF, begin or end a code point above all that one unit can say. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
