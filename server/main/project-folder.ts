/**
 * Which project folder a session's own words mean: folders that differ by a link in their path, and by case, slashes or a prefix where the
 * system does not tell these apart, have one key. Keys are only compared and grouped by; what is shown, written and started in stays as the
 * record spells it. A folder that is gone is resolved as far as its path still is there. Paths of another platform (a Windows path seen on
 * Linux, a WSL path seen on Windows) stand for themselves.
 */
import fs from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import { attempt } from '../../shuttles/kit/error-code.ts';

/** What is asked of the file system. */
export interface FolderPort {
  /** With all links resolved; undefined: it is not there, or cannot be looked at. */
  readonly real: (path: string) => string | undefined;
  /** Are both there and the very same folder? */
  readonly isSame: (a: string, b: string) => boolean;
}

export function folderKey(cwd: string, platform: Environment['platform'], port: FolderPort): string {
  // No folder has such a name, and the system's calls throw at it.
  if (cwd.includes('\0')) return cwd;
  return platform === 'win32' ? windowsKey(cwd, port) : posixKey(cwd, platform, port);
}

function posixKey(cwd: string, platform: Environment['platform'], port: FolderPort): string {
  if (!posix.isAbsolute(cwd)) return cwd;
  const { there, rest } = resolved(posix.normalize(cwd), posix, port);
  const path = rest === '' ? there : posix.join(there, rest);
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!ignoresCase(there, port)) return plain;
  // macOS also takes composed and decomposed letters for the same.
  return (platform === 'darwin' ? plain.normalize('NFC') : plain).toLowerCase();
}

function windowsKey(cwd: string, port: FolderPort): string {
  const path = withoutPrefix(cwd.replaceAll('/', '\\'));
  if (!/^(?:[A-Za-z]:\\|\\\\[^\\])/.test(path)) return cwd;
  // A share is not asked about: a record's words make no connection to a machine that they name.
  const isShare = path.startsWith('\\\\');
  const { there, rest } = isShare ? { there: win32.normalize(path), rest: '' } : resolved(win32.normalize(path), win32, port);
  const whole = withoutPrefix(rest === '' ? there : win32.join(there, rest));
  return (/^[A-Za-z]:\\$/.test(whole) ? whole : whole.replace(/\\+$/, '')).toLowerCase();
}

/** `\\?\C:\…` is `C:\…`, `\\?\UNC\server\share` is `\\server\share`. */
function withoutPrefix(path: string): string {
  return path.replace(/^\\\\[?.]\\UNC\\/i, '\\\\').replace(/^\\\\[?.]\\(?=[A-Za-z]:\\)/, '');
}

/** The deepest folder of the path that is there, with its links resolved, and what stands behind it. */
function resolved(path: string, rules: typeof posix, port: FolderPort): { readonly there: string; readonly rest: string } {
  let at = path;
  const rest: string[] = [];
  for (;;) {
    const real = port.real(at);
    if (real !== undefined) return { there: real, rest: rest.join('/') };
    const parent = rules.dirname(at);
    if (parent === at) return { there: at, rest: rest.join('/') };
    rest.unshift(rules.basename(at));
    at = parent;
  }
}

/** Does the volume of that folder find it under another case too? A path without letters cannot be asked about. */
function ignoresCase(there: string, port: FolderPort): boolean {
  const other = swapped(there);
  return other !== there && port.isSame(there, other);
}

/** The last name with a letter in it, in the other case. */
function swapped(path: string): string {
  const parts = path.split('/');
  const at = parts.findLastIndex((part) => part.toLowerCase() !== part.toUpperCase());
  return parts
    .map((part, i) => (i !== at ? part : part === part.toLowerCase() ? part.toUpperCase() : part.toLowerCase()))
    .join('/');
}

export const diskFolders: FolderPort = {
  real: (path) => attempt(() => fs.realpathSync.native(path)),
  isSame(a, b) {
    const [one, other] = [a, b].map((path) => attempt(() => fs.statSync(path, { bigint: true })));
    return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
  },
};

const keptFor = 30_000;

/** Keys of many folders, each asked for once in a while: lists ask for the same few again and again. */
export class ProjectFolders {
  readonly #platform: Environment['platform'];
  readonly #port: FolderPort;
  readonly #elapsed: () => number;
  readonly #keys = new Map<string, string>();
  #since = 0;

  /** `elapsed`: milliseconds from any start. */
  constructor(platform: Environment['platform'], port: FolderPort = diskFolders, elapsed = (): number => performance.now()) {
    this.#platform = platform;
    this.#port = port;
    this.#elapsed = elapsed;
  }

  keyOf(cwd: string): string {
    const now = this.#elapsed();
    if (now - this.#since > keptFor) {
      this.#keys.clear();
      this.#since = now;
    }
    const known = this.#keys.get(cwd);
    if (known !== undefined) return known;
    const key = folderKey(cwd, this.#platform, this.#port);
    this.#keys.set(cwd, key);
    return key;
  }

  /** Those of the folders that are the same as `cwd`. */
  same(cwd: string, folders: Iterable<string>): readonly string[] {
    const key = this.keyOf(cwd);
    return [...folders].filter((folder) => folder === cwd || this.keyOf(folder) === key);
  }
}
