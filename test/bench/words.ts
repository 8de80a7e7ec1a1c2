/** Deterministic randomness and prose for made-up sessions: the same seed gives the same bytes on every machine. */
import { drawWord, identifierWords } from './vocabulary.ts';

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

/** With what people and models begin a sentence. */
const openers = [
  'Let me look at',
  'Now I need to check',
  'The problem is that',
  'I will update',
  'This means that',
  'Please make sure that',
  'It looks like',
  'The test fails because',
  'I can see that',
  'We should also',
  'Next, run',
  'That is expected:',
];

export class Words {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  integer(below: number): number {
    return Math.floor(this.random() * below);
  }
  chance(share: number): boolean {
    return this.random() < share;
  }
  /** Throws on an empty list. */
  pick<T>(list: readonly T[]): T {
    const one = list[this.integer(list.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
  /** Nearer to the beginning of the list is likelier, as a few files of a project are opened again and again. */
  favourite<T>(list: readonly T[]): T {
    const one = list[Math.floor(list.length * this.random() ** 2.5)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
  /** As often as words are in the text of sessions. */
  word(): string {
    return drawWord(this.random);
  }
  identifier(): string {
    return identifierWords[Math.floor(identifierWords.length * this.random() ** 2)] ?? 'value';
  }
  /** Sentences up to about that many characters; `names`: code that is spoken of. */
  prose(characters: number, names: readonly string[] = []): string {
    let text = '';
    while (text.length < characters) {
      if (text !== '') text += this.chance(0.15) ? '\n\n' : ' ';
      const opener = this.chance(0.45) ? this.pick(openers) : '';
      let sentence = opener;
      for (let left = 4 + this.integer(14); left > 0; left--) {
        const name = names.length > 0 && this.chance(0.09);
        const next = name ? `\`${this.favourite(names)}\`` : this.word();
        sentence = sentence === '' ? next.charAt(0).toUpperCase() + next.slice(1) : `${sentence} ${next}`;
      }
      text += `${sentence}.`;
    }
    return text;
  }
  hex(length: number): string {
    let out = '';
    while (out.length < length)
      out += Math.floor(this.random() * 4_294_967_296)
        .toString(16)
        .padStart(8, '0');
    return out.slice(0, length);
  }
  /** What is encrypted or signed looks like this. */
  base64(length: number): string {
    const bytes = Buffer.alloc(Math.ceil((length * 3) / 4 / 4) * 4);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(this.random() * 4_294_967_296), at);
    return bytes.toString('base64').slice(0, length);
  }
  uuid(): string {
    const h = this.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  }
  /** As UUIDs of version 7 that begin with one moment. */
  uuid7(): string {
    return `01a2${this.hex(4)}-${this.hex(4)}-7${this.hex(3)}-8${this.hex(3)}-${this.hex(12)}`;
  }
  /** Of a size most are small and few are very large: log-normal around `median`. */
  size(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
    return Math.round(median * Math.exp(spread * normal));
  }
}
