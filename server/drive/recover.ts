/**
 * What a crash left of a hand-over: a file that Loom wrote and that no thread has. It is removed when it is still byte for byte
 * Loom's own; when the target has already gone on with it, it stays and becomes a thread of its own.
 */
import fs from 'node:fs';
import type { Ledger } from '../ledger/ledger.ts';
import { sha256 } from './continue.ts';

/** For the owner, before the first pass. Returns one line for each that was found. */
export function recoverHandoffs(ledger: Ledger): readonly string[] {
  return ledger.handoffs.pending().map((row) => {
    const bytes = read(row.path);
    if (bytes === undefined) {
      ledger.handoffs.end(row.harness, row.native_id, 'undone');
      return `hand-over ${row.native_id} had not been written`;
    }
    if (sha256(bytes) === row.sha256) {
      fs.unlinkSync(row.path);
      ledger.handoffs.end(row.harness, row.native_id, 'undone');
      return `hand-over ${row.native_id} was undone: ${row.path}`;
    }
    ledger.handoffs.end(row.harness, row.native_id, 'abandoned');
    return `hand-over ${row.native_id} had been gone on with before it was finished: ${row.path}`;
  });
}

function read(path: string): Uint8Array | undefined {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
