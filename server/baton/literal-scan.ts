/**
 * Finds many literals in one walk over a text, whatever their case: an automaton (Aho and Corasick) as one table, a look-up a character.
 * Literals are ASCII; every other character stands between words. Linear, without backtracking.
 */

export interface LiteralScan {
  /** Of an ASCII character: its column in the table; 0 for those that stand in no literal. */
  readonly classes: Uint8Array;
  /** Columns of a row, as a power of two. */
  readonly shift: number;
  /** The next state: `next[(state << shift) | class]`. The first state is 0. */
  readonly next: Uint16Array;
  /** From this state on, each is one in which literals end. */
  readonly firstEnd: number;
  /** Which ones, by their place in the list, beginning with `firstEnd`. */
  readonly ends: readonly (readonly number[])[];
}

/** At most some thousands of characters in all. */
export function literalScan(literals: readonly string[]): LiteralScan {
  const classes = new Uint8Array(128);
  const lower = literals.map((literal) => literal.toLowerCase());
  let count = 1;
  for (const character of lower.join('')) {
    const code = character.charCodeAt(0);
    if (code >= 128) throw new RangeError('A literal that is sought must be ASCII.');
    if (classes[code] === 0) classes[code] = count++;
  }
  for (let code = 65; code <= 90; code++) classes[code] = classes[code + 32]!;
  const root = node();
  for (const [index, literal] of lower.entries()) {
    let at = root;
    for (const character of literal) {
      const of = classes[character.charCodeAt(0)]!;
      const known = at.next.get(of);
      const to = known ?? node();
      if (known === undefined) at.next.set(of, to);
      at = to;
    }
    at.ends.push(index);
  }
  // Breadth first, so that a shorter ending is whole before a longer one takes it over.
  const order = [root];
  for (const at of order) {
    for (const [of, to] of at.next) {
      to.back = at === root ? root : step(at.back ?? root, of, root);
      to.ends.push(...to.back.ends);
      order.push(to);
    }
  }
  const states = [...order.filter(({ ends }) => ends.length === 0), ...order.filter(({ ends }) => ends.length > 0)];
  const numbers = new Map(states.map((state, number) => [state, number]));
  const shift = Math.ceil(Math.log2(count));
  const next = new Uint16Array(states.length << shift);
  for (const [number, state] of states.entries())
    for (let of = 1; of < count; of++) next[(number << shift) | of] = numbers.get(step(state, of, root)) ?? 0;
  const firstEnd = states.findIndex(({ ends }) => ends.length > 0);
  return { classes, shift, next, firstEnd, ends: states.slice(firstEnd).map(({ ends }) => ends) };
}

interface Node {
  readonly next: Map<number, Node>;
  /** Where the longest ending stands that another literal begins with. */
  back: Node | undefined;
  readonly ends: number[];
}
const node = (): Node => ({ next: new Map(), back: undefined, ends: [] });

function step(from: Node, of: number, root: Node): Node {
  for (let at: Node | undefined = from; at !== undefined; at = at.back) {
    const to = at.next.get(of);
    if (to !== undefined) return to;
  }
  return root;
}
