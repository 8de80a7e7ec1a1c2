/**
 * Can a thread go back to the session that it was in before in a harness? Only when that session stands where the thread left it, its file
 * is, byte for byte, what the ledger has read, nobody has it open, and the writer can go on with such files. Reads the file's ends and
 * changes nothing.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Append, Environment, ExistingSession, Holder, Shuttle } from '../../shuttles/contract/shuttle.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Refusal } from '../../shuttles/kit/opening.ts';
import { isCompressed, openSource } from '../../shuttles/kit/source.ts';
import type { Source } from '../../shuttles/kit/source.ts';
import { lineOf } from './thread-line.ts';

export interface ReturnWay {
  readonly mode: 'return';
  readonly shuttle: Shuttle;
  readonly append: Append;
  readonly native: NativeRow;
  /** As it was when the file was looked at. */
  readonly source: SourceRow;
  /** The harness's folder that the file is below. */
  readonly root: string;
  readonly before: FileFacts;
  readonly existing: ExistingSession;
  /** The last entry of the thread that the session has. */
  readonly since: { readonly conversation: number; readonly entry: number };
}
/** `refusal`: a whole sentence. undefined: the thread was in no other session of the harness. */
export type ReturnFound = ReturnWay | { readonly refusal: string } | undefined;

export interface ReturnDependencies {
  readonly ledger: Ledger;
  readonly environment: Environment;
  readonly holders: (harness: HarnessId, nativeId: string) => readonly Holder[];
}

const headBytes = 256 * 1024;
const tailBytes = 8 * 1024 * 1024;

/** `tip`: the entry that the thread goes on from. */
export function returnWay(thread: ThreadRow, tip: number, shuttle: Shuttle, deps: ReturnDependencies): ReturnFound {
  const { ledger } = deps;
  const { harness, write } = shuttle;
  for (const { branch, through } of lineOf(ledger, thread, tip)) {
    const native = ledger.natives.byNumber(branch.native);
    if (native?.harness !== harness || native.number === thread.current_native) continue;
    // What a thread was forked from is another thread's session.
    if (native.child_of !== null || native.thread !== thread.number || native.path === '') continue;
    if ('absent' in write) return { refusal: write.absent };
    if ('absent' in write.append) return { refusal: write.append.absent };
    const found = fileOf(native, shuttle, deps);
    if ('refusal' in found) return found;
    const gone = goneOn(ledger, native, found.source, { conversation: branch.conversation, entry: through });
    if (gone !== undefined) return { refusal: gone };
    const since = { conversation: branch.conversation, entry: through };
    return { mode: 'return', shuttle, append: write.append, native, since, ...found };
  }
  return undefined;
}

/** Why the session does not stand where the thread left it. */
function goneOn(
  ledger: Ledger,
  native: NativeRow,
  source: SourceRow,
  since: { readonly conversation: number; readonly entry: number },
): string | undefined {
  const own = ledger.branches.byNative(native.number);
  const isBehind = own.some(({ last_content }) => last_content > since.entry);
  if (!isBehind && source.position_conversation === since.conversation) return undefined;
  return `The session ${native.native_id} of ${harnessNames[native.harness]} does not stand where the thread left it.`;
}

type Found = Pick<ReturnWay, 'source' | 'root' | 'before' | 'existing'>;

function fileOf(
  native: NativeRow,
  { harness, find }: Shuttle,
  { ledger, environment, holders }: ReturnDependencies,
): Found | { readonly refusal: string } {
  const { path, native_id: nativeId } = native;
  const refuse = (why: string): { readonly refusal: string } => ({
    refusal: `The session ${nativeId} of ${harnessNames[harness]} ${why}.`,
  });
  const [holder] = holders(harness, nativeId);
  if (holder !== undefined)
    return refuse(`is open${holder.pid === null ? '' : ` in process ${holder.pid}`} (${holder.evidence}): close it there first`);
  if (isCompressed(path)) return refuse('is kept compressed, and nothing can be put behind its end');
  const root = find.roots(environment).find((candidate) => isBelow(path, candidate.path))?.path;
  const source = ledger.sources.byPath(path);
  if (root === undefined || source?.native !== native.number) return refuse('is in no file of its own');
  const told = ledger.sources.byNative(native.number).filter(({ status }) => status === 'current' || status === 'reading');
  if (told.length > 1) return refuse('is told by several files');
  if (source.status === 'gone') return refuse(goneWords(path));
  const opened = openSource(path, root);
  if (!opened.ok) return refuse(unopenedWords(opened.refusal, path));
  using file = opened.source;
  if (!isUnchanged(source, file)) return refuse('was written to since it was read: wait a moment, and try again');
  if (source.offset !== source.size)
    return refuse(
      'ends in a line that is not finished: wait until its agent is done with it; behind a line that stays so, as a crash leaves it, Loom puts nothing',
    );
  const existing = existingOf(nativeId, path, file);
  if (existing === undefined) return refuse(`cannot be read to its end (${path}): try again`);
  return { source, root, before: file.facts, existing };
}

function goneWords(path: string): string {
  return `is gone (${path}): put it back first, with Restore or \`loom restore-native --in-place\``;
}

function unopenedWords({ kind, detail }: Refusal, path: string): string {
  switch (kind) {
    case 'absent':
      return goneWords(path);
    case 'refused':
      return `is not written to (${detail}): put the file itself in its place, and no link or anything else`;
    case 'unreadable':
      return `cannot be read (${detail}): check the permissions of the file and of its folders`;
  }
}

/** Its size, time, number and beginning are those that the ledger has. */
function isUnchanged(source: SourceRow, file: Source): boolean {
  const { size, mtimeMs, ino } = file.facts;
  if (source.status !== 'current' || source.size !== size) return false;
  return source.mtime === mtimeMs && source.identity === ino && file.beginsAs(source.fingerprint);
}

function existingOf(nativeId: string, path: string, file: Source): ExistingSession | undefined {
  const { size } = file.facts;
  const head = part(file, 0, Math.min(headBytes, size));
  const from = Math.max(0, size - tailBytes);
  const tail = part(file, from, size - from);
  return head === undefined || tail === undefined ? undefined : { nativeId, path, size, head, tail };
}

function part(file: Source, from: number, length: number): Uint8Array | undefined {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for (const chunk of file.chunks(from)) {
    const fits = chunk.subarray(0, length - filled);
    bytes.set(fits, filled);
    filled += fits.length;
    if (filled >= length) break;
  }
  return filled === length ? bytes : undefined;
}
