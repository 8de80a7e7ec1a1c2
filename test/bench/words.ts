/** Deterministic randomness and text for made-up sessions: the same seed gives the same bytes on every machine. */

/** A small generator (mulberry32): numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const vocabulary =
  'the a of to in is that it for on with as this be by or from at not are we if then when checkout order price cart customer retry token webhook database migration schema index query cache session thread ledger reader writer parser test fixture build deploy server client request response handler error failed passed timeout race lock queue worker stream buffer file folder path commit branch merge rebase review refactor rename module export import function class value result option default config setting update delete insert select render component button layout color font'.split(
    ' ',
  );

export class Words {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  integer(below: number): number {
    return Math.floor(this.random() * below);
  }
  word(): string {
    return vocabulary[this.integer(vocabulary.length)] ?? 'word';
  }
  /** Words up to about that many characters. */
  sentence(characters: number): string {
    const out: string[] = [];
    for (let length = 0; length < characters;) {
      const word = this.word();
      out.push(word);
      length += word.length + 1;
    }
    const text = out.join(' ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }
  /** Lines as programs print and source files have them. */
  lines(characters: number): string {
    const out: string[] = [];
    for (let length = 0; length < characters;) {
      const line = `${' '.repeat(2 * this.integer(4))}${this.word()}.${this.word()}(${this.word()}, ${this.integer(1000)}); // ${this.sentence(20 + this.integer(40))}`;
      out.push(line);
      length += line.length + 1;
    }
    return out.join('\n');
  }
  hex(length: number): string {
    let out = '';
    while (out.length < length)
      out += Math.floor(this.random() * 4_294_967_296)
        .toString(16)
        .padStart(8, '0');
    return out.slice(0, length);
  }
  uuid(): string {
    const h = this.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  }
  /** Of a size most are small and few are very large: log-normal around `median`. */
  size(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
    return Math.round(median * Math.exp(spread * normal));
  }
}
