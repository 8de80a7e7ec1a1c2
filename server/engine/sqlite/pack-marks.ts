/** By what a pack is passed over without being decoded when a read filters: it may have what has its mark, and has not what has not. */

/** Of a read without that filter: every pack has it. */
export const anyKind = 0xffffffff;
export const anyKey = new Uint8Array(0);

/** A bit for each of some kinds, of 32 that all kinds share. */
export function kindMarks(kinds: Iterable<string>): number {
  let marks = 0;
  for (const kind of kinds) marks |= 1 << (hash(kind) & 31);
  return marks >>> 0;
}

/** Four bytes a key, to be looked for in a pack's bytes. */
export function keyMarks(keys: readonly string[]): Uint8Array {
  const marks = Buffer.allocUnsafe(keys.length * 4);
  keys.forEach((key, i) => marks.writeUInt32LE(hash(key), i * 4));
  return marks;
}

/** FNV-1a over UTF-16. Stored in files: not to be changed. */
function hash(text: string): number {
  const wellFormed = text.toWellFormed();
  let value = 0x811c9dc5;
  for (let i = 0; i < wellFormed.length; i++) value = Math.imul(value ^ wellFormed.charCodeAt(i), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}
