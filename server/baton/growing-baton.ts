/**
 * A baton that grows with its conversation: the fold's state and what the masker has learnt, which can be kept as JSON and taken
 * up again behind the entry where it stood. Whatever the split, the result is that of folding all at once.
 *
 * Of secrets only keyed fingerprints are kept, with the entries that tell them: who takes the state up reads those entries again and
 * learns the same values from them. Pure.
 */
import { createHmac } from 'node:crypto';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { Baton } from './baton.ts';
import { emptyState, stateVersion } from './baton-state.ts';
import type { BatonState } from './baton-state.ts';
import { mergedDelta } from './delta.ts';
import { finishBaton } from './finish.ts';
import type { BatonFrame } from './finish.ts';
import { foldEntry } from './fold.ts';
import { createMasker } from './mask.ts';
import type { RememberingMasker } from './mask.ts';

export interface KeptSecret {
  /** The newest entry that tells it. */
  readonly entry: number;
  /** Keyed by the ledger's salt, 128 bits. */
  readonly print: string;
  readonly kind: string;
}
/** As it is stored. `cwd`: the folder that the fold began with; `key` tells whether it was made with the same salt. */
export interface KeptBaton {
  readonly version: number;
  readonly key: string;
  readonly cwd: string;
  readonly state: BatonState;
  readonly secrets: readonly KeptSecret[];
}

export class GrowingBaton {
  readonly #salt: string;
  readonly #cwd: string;
  readonly #masker: RememberingMasker;
  /** Where each value was met last. */
  readonly #places: Map<string, number>;
  #state: BatonState;
  #entry = 0;

  private constructor(salt: string, cwd: string, state: BatonState, secrets: readonly Learnt[]) {
    this.#salt = salt;
    this.#cwd = cwd;
    this.#state = state;
    this.#places = new Map(secrets.map(({ value, entry }) => [value, entry]));
    const from = secrets.map(({ value, kind }): readonly [string, string] => [value, kind]);
    this.#masker = createMasker(salt, from, (value) => void this.#places.set(value, this.#entry));
  }

  static begin(salt: string, cwd: string): GrowingBaton {
    return new GrowingBaton(salt, cwd, { ...emptyState, cwd }, []);
  }

  /**
   * Goes on where the state stands. undefined: it is damaged, it was made by another version, with another salt or folder, or an entry that it
   * needs is not there. `entryOf` reads an entry of the ledger.
   */
  static resume(
    kept: Partial<KeptBaton>,
    salt: string,
    cwd: string,
    entryOf: (id: number) => LedgerEntry | undefined,
  ): GrowingBaton | undefined {
    const { state, secrets } = kept;
    if (kept.version !== stateVersion || kept.cwd !== cwd || kept.key !== keyOf(salt)) return undefined;
    if (state === undefined || secrets === undefined) return undefined;
    const learnt = learntAgain(secrets, salt, entryOf);
    return learnt === undefined ? undefined : new GrowingBaton(salt, cwd, state, learnt);
  }

  get state(): BatonState {
    return this.#state;
  }

  /** Values of secrets that its entries gave away, with their kinds. Not to be kept anywhere. */
  get secrets(): ReadonlyMap<string, string> {
    return this.#masker.remembered;
  }

  add(entry: LedgerEntry): void {
    this.#entry = entry.id;
    this.#state = foldEntry(this.#state, entry, this.#masker);
    if (this.#places.size > placesLimit) this.#forget();
  }

  keep(): KeptBaton {
    const secrets = [...this.#masker.remembered].map(([value, kind]): KeptSecret => ({
      entry: this.#places.get(value) ?? 0,
      print: fingerprint(value, this.#salt),
      kind,
    }));
    return { version: stateVersion, key: keyOf(this.#salt), cwd: this.#cwd, state: this.#state, secrets };
  }

  /** Neither changes what is kept: another frame may follow. */
  finish(frame: BatonFrame): Baton {
    return finishBaton(this.#state, frame, createMasker(this.#salt, this.#masker.remembered));
  }

  /** For a reader that knows the thread up to the entry `since`; `entries`: those behind it. */
  finishDelta(frame: BatonFrame, since: number, entries: Iterable<LedgerEntry>): Baton {
    const masker = createMasker(this.#salt, this.#masker.remembered);
    let part: BatonState = { ...emptyState, cwd: this.#state.cwd };
    for (const entry of entries) part = foldEntry(part, entry, masker);
    return finishBaton(mergedDelta(this.#state, part, since), { ...frame, since }, masker);
  }

  /** Values that the masker has forgotten. */
  #forget(): void {
    for (const value of this.#places.keys()) if (!this.#masker.remembered.has(value)) this.#places.delete(value);
  }
}
const placesLimit = 1024;

interface Learnt {
  readonly value: string;
  readonly kind: string;
  readonly entry: number;
}

/** The values behind the fingerprints, in their order. undefined: an entry no longer tells one. */
function learntAgain(
  kept: readonly KeptSecret[],
  salt: string,
  entryOf: (id: number) => LedgerEntry | undefined,
): readonly Learnt[] | undefined {
  const values = new Map<string, string>();
  for (const id of new Set(kept.map(({ entry }) => entry))) {
    const entry = entryOf(id);
    if (entry === undefined) return undefined;
    // What a fold learns of an entry depends on the entry alone.
    const masker = createMasker(salt, [], (value) => void values.set(fingerprint(value, salt), value));
    foldEntry(emptyState, entry, masker);
  }
  const out: Learnt[] = [];
  for (const { entry, print, kind } of kept) {
    const value = values.get(print);
    if (value === undefined) return undefined;
    out.push({ value, kind, entry });
  }
  return out;
}

const fingerprint = (value: string, salt: string): string =>
  createHmac('sha256', salt).update('secret\0').update(value).digest('base64url').slice(0, 22);
const keyOf = (salt: string): string => createHmac('sha256', salt).update('baton-state').digest('base64url').slice(0, 11);
