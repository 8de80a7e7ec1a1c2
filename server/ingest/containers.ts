/**
 * The containers of one pass: each file that holds sessions otherwise than as lines is opened when it changed, and stands for the
 * sessions in it. Its own row in `sources` remembers how the file was when all of them had been read, so that an unchanged container is
 * not opened. Closed at the end of the pass.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { HeldSession } from '../../shuttles/contract/container.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { heldPath, heldPrefix } from '../../shuttles/kit/held-session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { FaultId } from '../protocol/faults.ts';
import { archiveWhole } from './archive-whole.ts';
import { databaseFacts, openContainer } from './container-copy.ts';
import type { OpenContainer } from './container-copy.ts';
import { ContainerFeed } from './container-feed.ts';
import type { ContainerPace } from './container-pace.ts';
import type { Feed } from './feed.ts';
import type { FoundFile } from './scan.ts';

export interface ContainersOptions {
  readonly ledger: Ledger;
  readonly sidecars: Sidecars;
  readonly onFault: (id: FaultId, detail: string) => void;
  readonly pace: ContainerPace;
  /** Somebody asked for everything that is new: what costs much is opened too. */
  readonly asked?: boolean;
}

export class Containers implements Disposable {
  readonly #options: ContainersOptions;
  readonly #open = new Map<string, OpenContainer & { readonly shuttle: Shuttle }>();
  /** Containers whose sessions are to be read in this pass, with the facts that will then be true. */
  readonly #changed = new Map<string, FoundFile>();
  readonly #sessions = new Map<
    string,
    { readonly container: string; readonly name: string; readonly facts: FoundFile; readonly generation: string | undefined }
  >();
  /** Paths of containers themselves: their rows are no sessions. */
  readonly files = new Set<string>();

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  /** The sessions that the file holds, as files to be compared with what the ledger has. */
  expand(found: FoundFile & { readonly relative: string }, shuttle: Shuttle): readonly FoundFile[] {
    const { container } = shuttle;
    if (container === undefined) return [found];
    const { ledger, sidecars, onFault, pace, asked = false } = this.#options;
    const form = container.formOf?.(found.relative) ?? container.form;
    const file = form === 'database' ? { ...found, ...databaseFacts(found.path, found) } : found;
    this.files.add(file.path);
    const known = ledger.sources.byPath(file.path);
    const children = ledger.sources.below(heldPrefix(file.path));
    const asKnown = (): readonly FoundFile[] =>
      children
        .filter((row) => row.status !== 'gone')
        .map((row) => ({ ...file, path: row.path, size: row.size, mtimeMs: row.mtime, ino: row.identity }));
    const isUnchanged =
      known !== undefined &&
      (known.status === 'current' || known.status === 'ignored' || known.status === 'unreadable') &&
      known.size === file.size &&
      known.mtime === file.mtimeMs &&
      known.identity === file.ino;
    if (isUnchanged || !(asked || pace.mayOpen(file.path))) return asKnown();
    const copies = path.join(ledger.folder, 'copies');
    const opened = pace.opening(file.path, () => openContainer(file.path, file.root, form, copies));
    if (!opened.ok) {
      if (opened.kind === 'unreadable' || opened.kind === 'busy') onFault('F002', opened.detail);
      // What is only busy is tried again, though it looks the same.
      if (opened.kind !== 'busy') this.#settle(file, opened.kind === 'unreadable' ? 'unreadable' : 'ignored', opened.detail);
      return asKnown();
    }
    const listed = listSessions(() => container.sessions(opened.held, sidecars));
    if ('refused' in listed) {
      opened.close();
      onFault('F002', `${file.path}: ${listed.refused}`);
      this.#settle(file, 'unreadable', listed.refused);
      return asKnown();
    }
    this.#open.set(file.path, { ...opened, shuttle });
    this.#changed.set(file.path, file);
    const rows = new Map(children.map((row) => [row.path, row]));
    return listed.sessions.map(({ name, length, updatedAt, generation }: HeldSession) => {
      const at = heldPath(file.path, name);
      const row = rows.get(at);
      // Without a time of its own, a session is as it was when it has not grown.
      const mtimeMs = updatedAt ?? (row?.size === length ? row.mtime : file.mtimeMs);
      // Each has an identity of its own: the file's alone would make a new session of a deleted one that has moved.
      const facts: FoundFile = { ...file, path: at, size: length, mtimeMs, ino: heldPath(file.ino, name) };
      this.#sessions.set(at, { container: file.path, name, facts, generation });
      return facts;
    });
  }

  /** Is it a session of a container that is open? */
  holds(held: string): boolean {
    return this.#sessions.has(held);
  }

  /** Undefined: it is no session of a container that is open. */
  feed(held: string): Feed | undefined {
    const session = this.#sessions.get(held);
    const open = session === undefined ? undefined : this.#open.get(session.container);
    if (session === undefined || open?.shuttle.container === undefined) return undefined;
    return new ContainerFeed(
      open.shuttle.container,
      open.held,
      session.name,
      this.#options.sidecars,
      session.facts,
      session.generation,
    );
  }

  /** Everything in them has been read: they are archived as they were read, and not opened again until they change. */
  async settle(): Promise<void> {
    const { ledger, pace } = this.#options;
    for (const file of this.#changed.values()) {
      const { number } = this.#row(file);
      const files = this.#open.get(file.path)?.files;
      if (files === undefined) {
        ledger.transact(() => {
          ledger.archive.absent.put(number, 'sealed');
          this.#settle(file, 'current', null);
        });
        continue;
      }
      const settle = (before: number): void => {
        ledger.archive.versions.depart(number, before, heldPrefix(file.path));
        this.#settle(file, 'current', null);
      };
      await pace.archiving(file.path, () => archiveWhole(ledger, number, files, settle));
    }
    this.#changed.clear();
  }

  [Symbol.dispose](): void {
    for (const { close } of this.#open.values()) close();
    this.#open.clear();
    this.#sessions.clear();
  }

  #settle(file: FoundFile, status: 'current' | 'ignored' | 'unreadable', fault: string | null): void {
    this.#options.ledger.sources.update({
      ...this.#row(file),
      size: file.size,
      mtime: file.mtimeMs,
      identity: file.ino,
      birth: file.birthtimeMs,
      status,
      fault,
    });
  }

  #row(file: FoundFile): SourceRow {
    const { sources } = this.#options.ledger;
    const row = sources.byPath(file.path) ?? sources.byNumber(sources.insert(file.path, file.harness));
    if (row === undefined) throw new Error('a source that was just inserted is not there');
    return row;
  }
}

/** What a process that was killed left of its copies. For the owner, at its start. */
export function removeCopies(ledgerFolder: string): void {
  fs.rmSync(path.join(ledgerFolder, 'copies'), { recursive: true, force: true });
}

/** A damaged database throws in the middle of a statement, whatever the shuttle does. */
function listSessions<T>(list: () => T): T | { readonly refused: string } {
  try {
    return list();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return { refused: error.message };
  }
}
