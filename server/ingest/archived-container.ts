/** Opens a container as it was when a version of it was archived: a document from memory, a database from files in a private folder. */
import fs from 'node:fs';
import path from 'node:path';
import type { Held } from '../../shuttles/contract/container.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openCopy } from './container-copy.ts';
import type { ContainerOrRefusal } from './container-copy.ts';

/** `file`: the container's path; `form`: undefined when no harness has such a container any more. */
export function openArchived(
  ledger: Ledger,
  { container, version }: { readonly container: number; readonly version: number },
  file: string,
  form: Held['form'] | undefined,
): ContainerOrRefusal {
  const { versions } = ledger.archive;
  const parts = versions.parts(container, version);
  if (parts.length === 0 || form === undefined || form === 'listed')
    return { ok: false, kind: 'absent', detail: `${file} is not archived` };
  const refused = (detail: string): ContainerOrRefusal => ({ ok: false, kind: 'unreadable', detail: `${file}: ${detail}` });
  if (form === 'document') {
    const pieces: Uint8Array[] = [];
    for (const piece of versions.pieces(container, version, '')) {
      if (!piece.ok) return refused('its archived bytes are damaged');
      pieces.push(piece.bytes);
    }
    const text = Buffer.concat(pieces).toString('utf8');
    return { ok: true, held: { form, path: file, text }, files: undefined, close: () => undefined };
  }
  let folder: string | undefined;
  try {
    const copies = path.join(ledger.folder, 'copies');
    fs.mkdirSync(copies, { recursive: true, mode: 0o700 });
    folder = fs.mkdtempSync(path.join(copies, 'copy-'));
    const copy = path.join(folder, 'copy.sqlite');
    for (const { suffix } of parts) {
      const descriptor = fs.openSync(copy + suffix, 'wx', 0o600);
      try {
        for (const piece of versions.pieces(container, version, suffix)) {
          if (!piece.ok) {
            fs.rmSync(folder, { recursive: true, force: true });
            return refused('its archived bytes are damaged');
          }
          for (let at = 0; at < piece.bytes.length;) at += fs.writeSync(descriptor, piece.bytes, at);
        }
      } finally {
        fs.closeSync(descriptor);
      }
    }
    return { ok: true, ...openCopy(file, folder, copy), files: undefined };
  } catch (error) {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
    // The system's and SQLite's refusals have codes; what has none is a bug of ours.
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return refused(error.message);
  }
}
