/**
 * Single records of sessions in containers, for showing what an entry was made from. A container is opened once, like ingest opens it, or
 * from the archive, as it was when the record was read.
 */
import path from 'node:path';
import type { Held } from '../../shuttles/contract/container.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openArchived } from './archived-container.ts';
import { openContainer } from './container-copy.ts';
import type { ContainerOrRefusal } from './container-copy.ts';

export interface HeldRecordsOptions {
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly ledgerFolder: string;
}

export class HeldRecords implements Disposable {
  readonly #options: HeldRecordsOptions;
  readonly #open = new Map<string, ContainerOrRefusal | undefined>();

  constructor(options: HeldRecordsOptions) {
    this.#options = options;
  }

  /** The record as JSON, or its text when it is damaged. Undefined: the source is no session of a container, or has no such record. */
  text(source: string, harness: HarnessId, position: number): string | undefined {
    return this.#record(source, harness, position, (file, shuttle) => this.#container(file, shuttle));
  }

  /** As `text`, out of that version of the container that the archive keeps. */
  archivedText(
    ledger: Ledger,
    source: string,
    harness: HarnessId,
    position: number,
    place: { readonly container: number; readonly version: number },
  ): string | undefined {
    return this.#record(source, harness, position, (file, shuttle) => {
      const key = `${place.container}\n${place.version}`;
      if (!this.#open.has(key)) this.#open.set(key, openArchived(ledger, place, file, this.#formOf(file, shuttle)));
      return this.#open.get(key);
    });
  }

  #record(
    source: string,
    harness: HarnessId,
    position: number,
    open: (file: string, shuttle: Shuttle) => ContainerOrRefusal | undefined,
  ): string | undefined {
    const parts = partsOfHeld(source);
    const shuttle = this.#options.shuttles.find((candidate) => candidate.harness === harness);
    if (parts === undefined || shuttle?.container === undefined) return undefined;
    const opened = open(parts.file, shuttle);
    if (opened?.ok !== true) return undefined;
    try {
      for (const record of shuttle.container.records(opened.held, parts.name, position, this.#options.sidecars)) {
        if (record.length === 0) continue;
        if (record.offset !== position) return undefined;
        return record.ok ? JSON.stringify(record.value) : record.text;
      }
    } catch (error) {
      // A damaged database tells of it when the damaged page is read.
      if (!(error instanceof Error) || !('code' in error)) throw error;
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const opened of this.#open.values()) if (opened?.ok === true) opened.close();
    this.#open.clear();
  }

  #container(file: string, shuttle: Shuttle): ContainerOrRefusal | undefined {
    if (this.#open.has(file)) return this.#open.get(file);
    const form = this.#formOf(file, shuttle);
    const root = this.#rootOf(file, shuttle);
    const opened =
      root === undefined || form === undefined
        ? undefined
        : openContainer(file, root, form, path.join(this.#options.ledgerFolder, 'copies'));
    this.#open.set(file, opened);
    return opened;
  }

  #rootOf(file: string, shuttle: Shuttle): string | undefined {
    return shuttle.find.roots(this.#options.environment).find((candidate) => isBelow(file, candidate.path))?.path;
  }

  /** Undefined: it is no container, as far as its place tells. */
  #formOf(file: string, shuttle: Shuttle): Held['form'] | undefined {
    const root = this.#rootOf(file, shuttle);
    const relative = root === undefined ? '' : path.relative(root, file).replaceAll(path.sep, '/');
    const { container } = shuttle;
    return root === undefined || container?.holds(relative) !== true
      ? undefined
      : (container.formOf?.(relative) ?? container.form);
  }
}
