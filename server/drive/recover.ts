/**
 * What a crash left of a hand-over: a file that Loom wrote and that no thread has. It is removed when it is still byte for byte
 * Loom's own; when the target has already gone on with it, it stays and becomes a thread of its own.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Ledger } from '../ledger/ledger.ts';
import { sha256 } from './continue.ts';

/** For the owner, before the first pass. Returns one line for each that was found. */
export function recoverHandoffs(ledger: Ledger): readonly string[] {
  return ledger.handoffs.pending().map((row) => {
    removeTemporaries(row.path);
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

/** The unfinished bytes that `writeNew` had beside the place (server/main/files.ts); no other file has this session's id in such a name. */
function removeTemporaries(place: string): void {
  const folder = path.dirname(place);
  const prefix = `.${path.basename(place)}.`;
  for (const name of names(folder)) {
    if (name.startsWith(prefix) && /^\d+-\d+\.tmp$/.test(name.slice(prefix.length)))
      fs.rmSync(path.join(folder, name), { force: true });
  }
}

function names(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

function read(file: string): Uint8Array | undefined {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
