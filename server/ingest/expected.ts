/**
 * A session that a harness began from a first prompt of Loom's goes on with the thread that was handed over: its first prompt has the mark
 * that was made for it, it is the right harness's, in the right folder, and no other session has come for that mark. Anybody's other
 * session is left alone. Until such a session has a prompt it cannot be told, and is not read yet.
 */
import fs from 'node:fs';
import { markOf } from '../ledger/expected-mark.ts';
import type { ExpectedRow } from '../ledger/expected-table.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { SourceIdentity } from '../../shuttles/contract/read.ts';
import type { BatchOutput, TranslatedBatch } from './translated-batch.ts';

export interface Met {
  readonly expected: ExpectedRow;
  /** What waited for it. */
  readonly native: NativeRow;
}

interface Begun {
  readonly source: Pick<SourceRow, 'harness'>;
  readonly identity: SourceIdentity;
  readonly read: Pick<TranslatedBatch, 'outputs' | 'stored'>;
}

/** Of a session that the ledger does not have: is it one that is expected? */
export function metBy(ledger: Ledger, { source, identity, read }: Begun): Met | undefined {
  if (identity.childOf !== undefined) return undefined;
  const open = ledger.expected.open(source.harness);
  if (open.length === 0) return undefined;
  const nth = firstPrompt(read.outputs);
  const prompt = read.stored[nth]?.text;
  if (prompt === undefined) return undefined;
  // Of a text the stored JSON has the mark's letters as they are.
  const expected = open.find((row) => prompt.includes(markOf(row.token)));
  if (expected === undefined || !isIn(expected.folder, read.outputs)) return undefined;
  const native = ledger.natives.byNumber(expected.native);
  return native === undefined ? undefined : { expected, native };
}

/** How long a session without a prompt is waited for, in milliseconds. */
const longest = 24 * 60 * 60 * 1000;

/** A session that the ledger does not have has no prompt yet, and may be one that is expected. `birth`: when its file was made. */
export function mayBeExpected(ledger: Ledger, begun: Begun, birth: number): boolean {
  if (begun.identity.childOf !== undefined || firstPrompt(begun.read.outputs) >= 0) return false;
  return ledger.expected.open(begun.source.harness).some(({ at }) => birth >= at - 1000 && birth <= at + longest);
}

/** Where a native session begins in the engine's session, when it is one that was expected. */
export function beginOf(ledger: Ledger, native: NativeRow | undefined): Position | undefined {
  const row = native === undefined ? undefined : ledger.expected.byNative(native.number);
  return row === undefined ? undefined : { conversation: row.conversation, entry: row.entry };
}

/** The batch with the prompt as what it is: Loom's words, and not a turn of the person's. */
export function withLoomsPrompt(read: TranslatedBatch): TranslatedBatch {
  const nth = firstPrompt(read.outputs);
  let draft = -1;
  const outputs = read.outputs.map((output): BatchOutput => {
    if (output.type === 'entry') draft++;
    return output.type === 'entry' && draft === nth ? { ...output, origin: 'loom', trust: 'loom' } : output;
  });
  const stored = read.stored.map((one, i) => {
    if (i !== nth) return one;
    const { provenance, ...rest } = one.content as { readonly provenance: object };
    const content = { ...rest, origin: 'loom', provenance: { ...provenance, trust: 'loom' } };
    return { content, text: JSON.stringify(content) };
  });
  // What was packed has it as it was.
  return { ...read, outputs, stored, packs: [] };
}

/** Its place among the drafts; -1: there is none. */
function firstPrompt(outputs: readonly BatchOutput[]): number {
  return outputs.filter((output) => output.type === 'entry').findIndex(({ origin }) => origin === 'typed' || origin === 'queued');
}

/** A session that does not say where it is may be there, and where no folder is expected every one is. */
function isIn(folder: string, outputs: readonly BatchOutput[]): boolean {
  if (folder === '') return true;
  const told = outputs.flatMap((output) => (output.type === 'facts' ? (output.facts.startCwd ?? output.facts.cwd ?? []) : []));
  const [first] = told;
  return first === undefined || first === folder || realPath(first) === realPath(folder);
}

function realPath(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return folder;
    throw error;
  }
}
