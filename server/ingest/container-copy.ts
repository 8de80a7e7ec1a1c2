/**
 * Opens a container for reading without touching it: a document is read, a database is copied together with its write-ahead log into a
 * private folder and opened there. The copy is whole: when the files change while they are copied, it is made again, and a database that
 * is in the middle of a rollback journal is left for later. Nothing is ever locked, checkpointed or created beside the harness's file.
 */
import Sqlite from 'better-sqlite3';
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import type { Held, Tables } from '../../shuttles/contract/container.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { factsOf, unchanged } from '../../shuttles/kit/file-facts.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { openBelow } from '../../shuttles/kit/opening.ts';
import type { WholeFile } from './archive-whole.ts';

export interface OpenContainer {
  readonly held: Held;
  /** The very bytes that are read here, for the archive; undefined: they are never read. */
  readonly files: readonly WholeFile[] | undefined;
  readonly close: () => void;
}
export type ContainerOrRefusal =
  | ({ readonly ok: true } & OpenContainer)
  | { readonly ok: false; readonly kind: 'absent' | 'refused' | 'unreadable' | 'busy'; readonly detail: string };
/** Copies bytes as they are. */
export type CopyFile = (from: string, to: string) => void;
const cloned: CopyFile = (from, to) => fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);

const mostDocumentBytes = 256 * 1024 * 1024;
const attempts = 5;
/** Two changes within a tick of the file system's clock look like one, in milliseconds. */
const tick = 20;

/**
 * `copies`: a folder of the ledger's own, created when it is not there. Never throws for what a file or a database can be. `busy`: it is
 * being written just now, and may be whole the next time although it then looks the same.
 */
export function openContainer(
  file: string,
  root: string,
  form: Held['form'],
  copies: string,
  copyFile: CopyFile = cloned,
): ContainerOrRefusal {
  const opened = openBelow(file, root);
  if (!opened.ok) return { ok: false, ...opened.refusal };
  try {
    if (form === 'listed')
      return {
        ok: true,
        held: { form, path: file, changedAt: Math.round(opened.facts.mtimeMs) },
        files: undefined,
        close: () => undefined,
      };
    if (form === 'document') return readDocument(file, opened.descriptor, opened.facts);
  } finally {
    fs.closeSync(opened.descriptor);
  }
  return copyDatabase(file, root, copies, copyFile);
}

/** Facts of a database with its log: either may change without the other. */
export function databaseFacts(file: string, facts: FileFacts): FileFacts {
  try {
    const log = factsOf(fs.lstatSync(`${file}-wal`, { bigint: true }));
    return { ...facts, size: facts.size + log.size, mtimeMs: Math.max(facts.mtimeMs, log.mtimeMs) };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return facts;
  }
}

function readDocument(file: string, descriptor: number, facts: FileFacts): ContainerOrRefusal {
  if (facts.size > mostDocumentBytes)
    return { ok: false, kind: 'refused', detail: `${file} is longer than ${mostDocumentBytes} bytes` };
  try {
    const bytes = fs.readFileSync(descriptor);
    const text = bytes.toString('utf8');
    // Not kept beside the text that says the same.
    const kept = isUtf8(bytes) ? undefined : bytes;
    const whole = { suffix: '', size: bytes.length, mtime: facts.mtimeMs, pieces: () => [kept ?? Buffer.from(text)] };
    return { ok: true, held: { form: 'document', path: file, text }, files: [whole], close: () => undefined };
  } catch (error) {
    return unreadable(file, error);
  }
}

function copyDatabase(file: string, root: string, copies: string, copyFile: CopyFile): ContainerOrRefusal {
  let folder: string | undefined;
  try {
    fs.mkdirSync(copies, { recursive: true, mode: 0o700 });
    folder = fs.mkdtempSync(path.join(copies, 'copy-'));
    const copy = path.join(folder, 'copy.sqlite');
    const copied = copyWhole(file, root, copy, copyFile);
    if (copied === undefined) {
      fs.rmSync(folder, { recursive: true, force: true });
      return { ok: false, kind: 'busy', detail: `${file} changed again and again while it was copied` };
    }
    const { held, close } = openCopy(file, folder, copy);
    return { ok: true, held, files: copied.map(([suffix, facts]) => wholeOf(copy, suffix, facts)), close };
  } catch (error) {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
    return unreadable(file, error);
  }
}

/** A copy in a folder that goes with it. Reading it changes neither the database nor its log. Throws what SQLite throws. */
export function openCopy(file: string, folder: string, copy: string): Pick<OpenContainer, 'held' | 'close'> {
  const db = new Sqlite(copy, { readonly: true, fileMustExist: true });
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  const tables: Tables = { all: (sql, ...parameters) => db.prepare(sql).all(...parameters) as Record<string, unknown>[] };
  return {
    held: { form: 'database', path: file, tables },
    close: () => {
      db.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function wholeOf(copy: string, suffix: string, { size, mtimeMs }: FileFacts): WholeFile {
  return { suffix, size, mtime: mtimeMs, pieces: () => piecesOf(copy + suffix) };
}

function* piecesOf(file: string): Generator<Uint8Array, void> {
  const descriptor = fs.openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (;;) {
      const length = fs.readSync(descriptor, buffer);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The files that were copied, by what follows the database's name. Undefined: they changed all the time. */
function copyWhole(
  file: string,
  root: string,
  copy: string,
  copyFile: CopyFile,
): readonly (readonly [suffix: string, facts: FileFacts])[] | undefined {
  const log = `${file}-wal`;
  const facts = (): readonly (FileFacts | undefined)[] => [file, log, `${file}-journal`].map((name) => factsAt(name, root));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = facts();
    const [main, wal, journal] = before;
    if (main === undefined) return undefined;
    if ((journal?.size ?? 0) > 0 || before.some(isFresh)) {
      pause(tick);
      if ((journal?.size ?? 0) > 0) continue;
    }
    fs.rmSync(copy, { force: true });
    fs.rmSync(`${copy}-wal`, { force: true });
    copyFile(file, copy);
    if (wal !== undefined) copyFile(log, `${copy}-wal`);
    const after = facts();
    if (!before.every((known, i) => same(known, after[i]))) continue;
    return wal === undefined
      ? [['', main]]
      : [
          ['', main],
          ['-wal', wal],
        ];
  }
  return undefined;
}

/** It may have been changed since within the same tick, and be changed again without a trace. */
function isFresh(facts: FileFacts | undefined): boolean {
  return facts !== undefined && Math.abs(Date.now() - facts.mtimeMs) < tick;
}

/** Few milliseconds, and only for a file that is being written this very moment. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function factsAt(file: string, root: string): FileFacts | undefined {
  const opened = openBelow(file, root);
  if (!opened.ok) return undefined;
  fs.closeSync(opened.descriptor);
  return opened.facts;
}

function same(a: FileFacts | undefined, b: FileFacts | undefined): boolean {
  return a === undefined || b === undefined ? a === b : unchanged(a, b);
}

function unreadable(file: string, error: unknown): ContainerOrRefusal {
  // The system's and SQLite's refusals have codes; what has none is a bug of ours.
  if (!(error instanceof Error) || !('code' in error)) throw error;
  return { ok: false, kind: 'unreadable', detail: `${file}: ${error.message}` };
}
