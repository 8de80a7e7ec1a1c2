/**
 * Finds what is new in all roots: folder by folder, each beside what the ledger knows of it, so that memory follows what is new and
 * nobody is kept waiting. An unchanged folder is passed over until it has its turn (folder-memory.ts). Opens no file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { Environment, SessionRoot, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { factsOf } from '../../shuttles/kit/file-facts.ts';
import { readLevel } from '../../shuttles/kit/folder-level.ts';
import type { FolderPlace } from '../../shuttles/kit/folder-level.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import { mostNames } from '../../shuttles/kit/walk.ts';
import type { Containers } from './containers.ts';
import { FolderMemory, stampOf } from './folder-memory.ts';
import { compare, resolve } from './scan.ts';
import type { Difference, FoundFile, KnownSource } from './scan.ts';

export interface SweepOptions {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly now: () => number;
  readonly onFault: (id: FaultId, detail: string) => void;
  /** What a fault was about is well again. */
  readonly onHealed?: (id: FaultId, detail: string) => void;
}
export interface Swept extends Difference {
  /** Session files that were looked at. */
  readonly files: number;
}
/**
 * Where it looks: into every folder; into those that changed or have their turn, and the named ones (paths) in any case; or into the named
 * ones alone, and what is new below them.
 */
export type Look = { readonly at: 'all' } | { readonly at: 'turns' | 'only'; readonly folders: ReadonlySet<string> };

interface Run {
  readonly look: Look;
  readonly due: ReadonlySet<string>;
  readonly containers: Containers;
  readonly changed: { file: FoundFile; known: KnownSource | undefined }[];
  readonly missing: KnownSource[];
  /** What could not be looked at: nothing below it is missing. */
  readonly closed: string[];
  /** Paths of roots that lie in each other, and what was found below them: a file of one is not missing for the other. */
  readonly nested: ReadonlySet<string>;
  readonly foundNested: Set<string>;
  files: number;
  names: number;
  pausedAt: number;
}

/** Milliseconds after which others get a turn. */
const patience = 4;

export class Sweep {
  readonly #options: SweepOptions;
  readonly #memory: FolderMemory;
  /** Roots that were not there: what is known below them was said to be gone. */
  readonly #absent = new Set<string>();
  readonly #unreadable = new Map<string, string>();

  constructor(options: SweepOptions, leastFiles = 1000) {
    this.#options = options;
    this.#memory = new FolderMemory(leastFiles);
  }

  async run(look: Look, containers: Containers): Promise<Swept> {
    const { ledger, shuttles, environment } = this.#options;
    const roots = shuttles.flatMap((shuttle) => shuttle.find.roots(environment).map((root) => ({ root, shuttle })));
    const paths = roots.map(({ root }) => root.path);
    const run: Run = {
      look,
      due: look.at === 'turns' ? this.#memory.due() : new Set(),
      containers,
      changed: [],
      missing: [],
      closed: [],
      nested: new Set(paths.filter((a, i) => paths.some((b, j) => i !== j && (a === b || isBelow(a, b) || isBelow(b, a))))),
      foundNested: new Set(),
      files: 0,
      names: 0,
      pausedAt: performance.now(),
    };
    for (const { root, shuttle } of roots) await this.#root(run, root, shuttle);
    if (look.at === 'all') run.missing.push(...ledger.sources.outside(paths, path.sep));
    const { foundNested } = run;
    const missing = run.missing.filter((source) => !foundNested.has(source.path) && !containers.files.has(source.path));
    return { ...resolve({ changed: run.changed, missing }, run.closed), files: run.files };
  }

  async #root(run: Run, root: SessionRoot, shuttle: Shuttle): Promise<void> {
    const places = run.look.at === 'only' ? placesBelow(root, run.look.folders) : [{ relative: '', depth: 0 }];
    run.names = 0;
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (run.names > mostNames) return;
      places.push(...this.#folder(run, root, shuttle, place));
      if (performance.now() - run.pausedAt < patience) continue;
      await setImmediate();
      run.pausedAt = performance.now();
    }
  }

  /** The folders below it that are to be gone on with. */
  #folder(run: Run, root: SessionRoot, shuttle: Shuttle, place: FolderPlace): readonly FolderPlace[] {
    const { ledger, now } = this.#options;
    const at = path.resolve(root.path, place.relative);
    const key = `${root.path}\n${place.relative}`;
    const isNested = run.nested.has(root.path);
    const before = now();
    // The root itself may be a link.
    const stats = this.#see(
      run,
      at,
      () => (place.relative === '' ? fs.statSync : fs.lstatSync)(at, { bigint: true }),
      // Who may see that a folder is there may still not list it.
      false,
    );
    if (stats === undefined) {
      this.#memory.forget(key);
      if (place.relative === '' && !run.closed.includes(at)) this.#rootIsAbsent(run, root);
      return [];
    }
    if (place.relative === '') this.#absent.delete(root.path);
    const isNamed = run.look.at === 'all' || run.look.folders.has(at) || run.due.has(key);
    if (run.look.at === 'only' && !isNamed && this.#memory.has(key)) return [];
    const settled = isNamed || isNested ? undefined : this.#memory.settled(key, stampOf(stats));
    if (settled !== undefined) return settled;
    const level = this.#see(run, at, () => readLevel(root, place, mostNames - run.names));
    if (level === undefined) {
      this.#memory.forget(key);
      return [];
    }
    run.names += level.names;
    const found: FoundFile[] = [];
    let always = false;
    for (const file of level.files) {
      const facts = this.#see(run, file.path, () => fs.lstatSync(file.path, { bigint: true }));
      if (facts?.isFile() !== true) continue;
      const one = { ...file, ...factsOf(facts), root: root.path, harness: shuttle.harness };
      if (shuttle.container?.holds(file.relative) === true) {
        always = true;
        found.push(...run.containers.expand(one, shuttle));
      } else found.push(one);
    }
    const known = ledger.sources.level(at, path.sep);
    const there = new Set(level.folders.map(({ name }) => name));
    for (const name of known.folders)
      if (!there.has(name)) run.missing.push(...ledger.sources.below(path.join(at, name) + path.sep));
    this.#compare(run, found, known.rows, isNested);
    run.files += found.length;
    this.#memory.looked(key, stats, before, level.folders, found.length, always);
    return level.folders;
  }

  #compare(run: Run, found: readonly FoundFile[], known: readonly KnownSource[], isNested: boolean): void {
    const fresh = isNested ? found.filter((file) => !run.foundNested.has(file.path)) : found;
    if (isNested) for (const file of found) run.foundNested.add(file.path);
    const { changed, missing } = compare(
      fresh,
      known.filter((source) => !run.containers.files.has(source.path)),
    );
    run.changed.push(...changed);
    run.missing.push(...missing);
  }

  #rootIsAbsent(run: Run, root: SessionRoot): void {
    if (run.look.at !== 'all' && this.#absent.has(root.path)) return;
    this.#absent.add(root.path);
    run.missing.push(...this.#options.ledger.sources.below(root.path + path.sep));
  }

  /** Undefined: it is not there, which is normal, or the system does not let us see it, which is told once and taken back once it does. */
  #see<T>(run: Run, at: string, look: () => T, heals = true): T | undefined {
    try {
      const seen = look();
      if (heals && this.#unreadable.size > 0) this.#readable(at);
      return seen;
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT') {
        this.#readable(at);
        return undefined;
      }
      run.closed.push(at);
      const detail = `${at} (${code})`;
      if (this.#unreadable.get(at) !== detail) this.#readable(at);
      this.#unreadable.set(at, detail);
      this.#options.onFault('F001', detail);
      return undefined;
    }
  }

  #readable(at: string): void {
    const detail = this.#unreadable.get(at);
    if (detail === undefined) return;
    this.#unreadable.delete(at);
    this.#options.onHealed?.('F001', detail);
  }
}

/** Those of the folders that may hold sessions of that root. */
function placesBelow(root: SessionRoot, folders: ReadonlySet<string>): FolderPlace[] {
  return [...folders].flatMap((folder): FolderPlace[] => {
    if (folder === root.path) return [{ relative: '', depth: 0 }];
    if (!isBelow(folder, root.path)) return [];
    const parts = path.relative(root.path, folder).split(path.sep);
    const entered = parts.every((_, i) => root.enters?.(parts.slice(0, i + 1).join('/')) ?? true);
    return parts.length <= root.depth && entered ? [{ relative: parts.join('/'), depth: parts.length }] : [];
  });
}
