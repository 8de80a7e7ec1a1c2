/**
 * Where the ledger and its owner's socket are, by the rules of each platform. Pure: the caller gives the process's facts.
 * Relative paths in variables are ignored, as the XDG specification demands: they would name another place in each process.
 */
import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';

export interface PlatformFacts {
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** LOOM_HOME, XDG_DATA_HOME, XDG_RUNTIME_DIR, LOCALAPPDATA are looked at. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  /** Number of the person's account; 0 on Windows, where pipes are named by the ledger alone. */
  readonly account: number;
}

/** For folders and files that only the person may read. Windows keeps to the rights of the person's own folder. */
export const privateFolder = 0o700;
export const privateFile = 0o600;

export function ledgerFolder({ platform, variables, home }: PlatformFacts): string {
  const path = platform === 'win32' ? win32 : posix;
  const absolute = (name: string): string | undefined => {
    const value = variables[name];
    return value !== undefined && path.isAbsolute(value) ? path.normalize(value) : undefined;
  };
  const own = absolute('LOOM_HOME');
  if (own !== undefined) return own;
  switch (platform) {
    case 'linux':
      return path.join(absolute('XDG_DATA_HOME') ?? path.join(home, '.local', 'share'), 'loom');
    case 'darwin':
      return path.join(home, 'Library', 'Application Support', 'Loom');
    case 'win32':
      return path.join(absolute('LOCALAPPDATA') ?? path.join(home, 'AppData', 'Local'), 'Loom');
  }
}

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, with the NUL at its end. */
const longestAddress = 99;

export interface SocketAddress {
  /** What to listen on or connect to. */
  readonly address: string;
  /** The folder that must be the person's own and closed to others; undefined for a pipe, which has no folder. */
  readonly folder: string | undefined;
}

/**
 * Where the owner may listen, best first: a folder that a variable names may not be there. `realLedger`: the ledger's
 * folder with its links resolved, so that all ways to it lead to one owner.
 */
export function socketAddresses(facts: PlatformFacts, realLedger: string): readonly SocketAddress[] {
  const { platform, variables, temporary, account } = facts;
  // Windows paths are the same in upper and lower case.
  const ledger = platform === 'win32' ? realLedger.toLowerCase() : realLedger;
  const name = createHash('sha256').update(ledger).digest('hex').slice(0, 16);
  if (platform === 'win32') return [{ address: `\\\\.\\pipe\\loom-${name}`, folder: undefined }];
  const runtime = platform === 'linux' ? variables['XDG_RUNTIME_DIR'] : undefined;
  const own = `loom-${account}`;
  const folders = [
    ...(runtime !== undefined && posix.isAbsolute(runtime) ? [posix.join(runtime, 'loom')] : []),
    ...(posix.isAbsolute(temporary) ? [posix.join(temporary, own)] : []),
    // macOS gives each person a long temporary folder; /tmp is there on every system and short.
    `/tmp/${own}`,
  ];
  return [...new Set(folders)]
    .map((folder) => ({ address: `${folder}/${name}.sock`, folder }))
    .filter(({ address }) => Buffer.byteLength(address) <= longestAddress);
}
