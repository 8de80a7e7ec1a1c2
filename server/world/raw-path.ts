/**
 * Paths inside a worktree as git names them: bytes with `/` between their parts, not always text. A `RawPath` holds one byte in each of its
 * characters, so that any name survives; it is shown as UTF-8, and what is none of it as escapes. Nothing in it leads out of the worktree.
 */
import path from 'node:path';

export type RawPath = string;

export function rawOf(bytes: Buffer): RawPath {
  return bytes.toString('latin1');
}

export function bytesOf(raw: RawPath): Buffer {
  return Buffer.from(raw, 'latin1');
}

/** What git prints with `-z`. */
export function rawList(stdout: Buffer): readonly RawPath[] {
  const out: RawPath[] = [];
  let from = 0;
  for (let at = stdout.indexOf(0); at >= 0; at = stdout.indexOf(0, from)) {
    if (at > from) out.push(stdout.toString('latin1', from, at));
    from = at + 1;
  }
  return out;
}

export function listBytes(paths: Iterable<RawPath>): Buffer {
  return Buffer.from([...paths].map((raw) => `${raw}\0`).join(''), 'latin1');
}

/** For people and JSON; `rawFrom` takes it back. */
export function shown(raw: RawPath): string {
  const bytes = bytesOf(raw);
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes) && !text.includes('\\x')) return text;
  return [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}

export function rawFrom(text: string): RawPath {
  if (!text.includes('\\x')) return rawOf(Buffer.from(text, 'utf8'));
  return text.replaceAll(/\\x([0-9a-f]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The file in the worktree, as the system takes it: bytes on Linux, whose names are bytes; text elsewhere. */
export function fileOf(root: string, raw: RawPath): Buffer | string {
  if (process.platform === 'linux') return Buffer.concat([Buffer.from(root, 'utf8'), Buffer.from('/'), bytesOf(raw)]);
  return path.join(root, ...bytesOf(raw).toString('utf8').split('/'));
}

/** Is it a plain path below the root, of no part that git or a system treats as another one? */
export function isPlain(raw: RawPath): boolean {
  if (raw === '' || raw.startsWith('/') || raw.endsWith('/') || raw.includes('\0')) return false;
  if (process.platform === 'win32' && /[\\:]/u.test(raw)) return false;
  return raw.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}
