/**
 * Where below a folder a restored file goes: as it lay below the person's home, or below its disk. The ledger's path is data: nothing of it
 * leads out of the folder, names a device, or stands for two files where upper and lower case are the same. Pure.
 */
import { posix, win32 } from 'node:path';

export interface NamingFacts {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly home: string;
}

/** Names that Windows gives to devices, whatever follows a point. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;

/** Parts of the path below the folder; at least one. */
export function restoredName(file: string, { platform, home }: NamingFacts): readonly string[] {
  const rules = platform === 'win32' ? win32 : posix;
  const relative = rules.relative(home, file);
  const isBelow = relative !== '' && !rules.isAbsolute(relative) && relative.split(rules.sep)[0] !== '..';
  const parts = (isBelow ? relative : file).split(platform === 'win32' ? /[\\/]/u : '/');
  const safe = parts.filter((part) => part !== '' && part !== '.').map((part) => safePart(part, platform));
  return safe.length === 0 ? ['session'] : safe;
}

function safePart(part: string, platform: NamingFacts['platform']): string {
  if (part === '..') return '_';
  const printable = part.replaceAll('\0', '_');
  if (platform !== 'win32') return printable;
  // A disk's letter keeps its letter; streams of a file have no names here.
  const plain = printable
    .replace(/^([a-z]):$/iu, '$1')
    .replace(/[<>:"|?*\u0001-\u001f]/gu, '_')
    .replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return device.test(plain) ? `_${plain}` : plain;
}

/** Gives each name once, also where upper and lower case, or two forms of a character, are the same file. */
export class DistinctNames {
  readonly #taken = new Set<string>();

  /** The same name, or with a number before its ending. */
  give(parts: readonly string[]): readonly string[] {
    const folder = parts.slice(0, -1);
    const name = parts.at(-1) ?? 'session';
    const dot = name.indexOf('.', 1);
    const [stem, ending] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
    for (let n = 1; ; n++) {
      const candidate = [...folder, n === 1 ? name : `${stem} (${n})${ending}`];
      const key = candidate.join('/').normalize('NFC').toLowerCase();
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      return candidate;
    }
  }
}
