/** What differs between two snapshots, file by file, with the lines added and removed. Content is not read here. */
import { bytesOf, rawOf } from './raw-path.ts';
import type { RawPath } from './raw-path.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export type ModeKind = 'file' | 'executable' | 'link';
export interface Side {
  /** Object id of the content. */
  readonly object: string;
  readonly mode: ModeKind;
}
export interface FileDiff {
  readonly raw: RawPath;
  /** Where it was before; absent: at the same place. */
  readonly from?: RawPath;
  readonly before: Side | null;
  readonly after: Side | null;
  /** null: not text. */
  readonly added: number | null;
  readonly removed: number | null;
}

/**
 * Of many pairs of trees, by one run of git. `renames`: a file that moved with little change is one diff with `from`; otherwise it is a removal
 * and an addition.
 */
export async function diffPairs(
  store: SnapshotStore,
  pairs: readonly (readonly [before: string, after: string])[],
  renames = true,
): Promise<readonly (readonly FileDiff[])[]> {
  const differing = pairs.filter(([before, after]) => before !== after);
  if (differing.length === 0) return pairs.map(() => []);
  const run = await store.git(
    [
      'diff-tree',
      '--stdin',
      '-r',
      '-z',
      '--raw',
      '--numstat',
      '--no-abbrev',
      ...(renames ? ['-M60%', '-l2000'] : ['--no-renames']),
    ],
    { input: Buffer.from(differing.map((pair) => `${pair.join(' ')}\n`).join(''), 'latin1') },
  );
  if (!run.ok || /^error|^fatal/mu.test(run.stderr))
    throw new Error(`two snapshots could not be compared: ${run.stderr.trim().slice(0, 300)}`);
  const found = parsePairs(run.stdout);
  return pairs.map((pair) => found.get(pair.join(' ')) ?? []);
}

/** Each pair's differences stand behind a line of its two trees. */
function parsePairs(stdout: Buffer): ReadonlyMap<string, readonly FileDiff[]> {
  const text = rawOf(stdout);
  const out = new Map<string, readonly FileDiff[]>();
  for (let at = 0; at < text.length;) {
    const line = text.indexOf('\n', at);
    if (line < 0) break;
    const { diffs, end } = parseDiff(text, line + 1);
    out.set(text.slice(at, line), diffs);
    at = end;
  }
  return out;
}

/**
 * What `git diff-tree -z --raw --numstat` says of one pair, from there on: first the raw entries, which begin with a colon, then the counts in
 * the same order. `end`: where it ends.
 */
function parseDiff(text: string, from: number): { readonly diffs: readonly FileDiff[]; readonly end: number } {
  let at = from;
  const field = (): string => {
    const end = text.indexOf('\0', at);
    const value = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    return value;
  };
  const out: FileDiff[] = [];
  while (text[at] === ':') {
    const [oldMode = '', newMode = '', oldObject = '', newObject = '', status = ''] = field().slice(1).split(' ');
    const moved = status.startsWith('R') || status.startsWith('C');
    const first = field();
    out.push({
      raw: moved ? field() : first,
      ...(moved ? { from: first } : {}),
      before: sideOf(oldMode, oldObject),
      after: sideOf(newMode, newObject),
      added: null,
      removed: null,
    });
  }
  const diffs = out.map((one) => {
    const counted = field();
    const [whole = '', added = '', removed = ''] = /^(\d+|-)\t(\d+|-)\t/u.exec(counted) ?? [];
    // Of a moved file both names follow as fields of their own.
    if (counted.length === whole.length) {
      field();
      field();
    }
    return { ...one, added: countOf(added), removed: countOf(removed) };
  });
  return { diffs, end: at };
}

function sideOf(mode: string, object: string): Side | null {
  switch (mode) {
    case '100755':
      return { object, mode: 'executable' };
    case '120000':
      return { object, mode: 'link' };
    case '100644':
      return { object, mode: 'file' };
    default:
      return null;
  }
}

function countOf(text: string): number | null {
  return /^\d+$/u.test(text) ? Number(text) : null;
}

/** These paths in a tree; the ones that are not in it are left away. */
export async function sidesOf(
  store: SnapshotStore,
  tree: string,
  paths: readonly RawPath[],
): Promise<ReadonlyMap<RawPath, Side>> {
  const wanted = new Set(paths);
  if (wanted.size === 0) return new Map();
  const names = argumentsOf(paths);
  const run = await store.git(['ls-tree', '-r', '-z', '--full-tree', tree, ...(names === undefined ? [] : ['--', ...names])]);
  if (!run.ok) throw new Error(`a snapshot could not be read: ${run.stderr.trim().slice(0, 300)}`);
  const out = new Map<RawPath, Side>();
  for (const entry of rawOf(run.stdout).split('\0')) {
    const tab = entry.indexOf('\t');
    const raw = entry.slice(tab + 1);
    if (tab < 0 || !wanted.has(raw)) continue;
    const [mode = '', , object = ''] = entry.slice(0, tab).split(' ');
    const side = sideOf(mode, object);
    if (side !== null) out.set(raw, side);
  }
  return out;
}

/** undefined: an argument of a program cannot hold each of these names, or there are too many; then the whole tree is listed. */
function argumentsOf(paths: readonly RawPath[]): readonly string[] | undefined {
  if (paths.length > 50) return undefined;
  const names = paths.map((raw) => bytesOf(raw).toString('utf8'));
  return names.every((name, index) => rawOf(Buffer.from(name, 'utf8')) === paths[index] && !name.endsWith('/'))
    ? names
    : undefined;
}
