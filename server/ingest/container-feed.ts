/** One session of a container as a feed: a position is the number of a record. What was read once stays as it is (contract). */
import type { Container, Held } from '../../shuttles/contract/container.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { NativeRecord, Sidecars } from '../../shuttles/contract/read.ts';
import type { FileFacts } from '../../shuttles/kit/file-facts.ts';
import { heldFingerprint } from '../../shuttles/kit/held-session.ts';
import { headRecords } from './feed.ts';
import type { Feed, Piece } from './feed.ts';

const pieceRecords = 500;
/** Characters: a few events of megabytes are as much as many small ones. */
const pieceWeight = 8 * 1024 * 1024;

export class ContainerFeed implements Feed {
  readonly facts: FileFacts;
  readonly #container: Container;
  readonly #held: Held;
  readonly #name: string;
  readonly #sidecars: Sidecars;
  readonly #generation: string;
  #failure: string | undefined;
  #head: readonly NativeRecord[] | undefined;

  constructor(container: Container, held: Held, name: string, sidecars: Sidecars, facts: FileFacts, generation = '') {
    this.#container = container;
    this.#held = held;
    this.#name = name;
    this.#sidecars = sidecars;
    this.facts = facts;
    this.#generation = generation;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  hasMore(position: number): boolean {
    return position < this.facts.size;
  }

  *pieces(from: number): Iterable<Piece> {
    this.#failure = undefined;
    let records: NativeRecord[] = [];
    let weight = 0;
    let end = from;
    try {
      for (const record of this.#container.records(this.#held, this.#name, from, this.#sidecars)) {
        records.push(record);
        end = record.offset + record.length;
        weight += record.ok ? weightOf(record.value) : record.text.length;
        if (records.length < pieceRecords && weight < pieceWeight) continue;
        yield { records, end };
        records = [];
        weight = 0;
      }
    } catch (error) {
      this.#failure = damage(error);
    }
    if (records.length > 0) yield { records, end };
  }

  head(): readonly NativeRecord[] {
    // Asked for with every commit: the rows are only fetched once.
    this.#head ??= this.#firstRecords();
    return this.#head;
  }

  fingerprint(): string {
    return heldFingerprint(this.head(), this.#generation);
  }

  goesOn(position: number, fingerprint: string): boolean {
    return this.facts.size >= position && (fingerprint === '' || fingerprint === this.fingerprint());
  }

  #firstRecords(): readonly NativeRecord[] {
    const head: NativeRecord[] = [];
    try {
      for (const record of this.#container.records(this.#held, this.#name, 0, this.#sidecars)) {
        head.push(record);
        if (head.length >= headRecords) break;
      }
    } catch (error) {
      this.#failure = damage(error);
    }
    return head;
  }

  [Symbol.dispose](): void {
    // The container stays open for its other sessions: containers.ts closes it.
  }
}

/** Characters of all texts in it, as far down as records of a harness go. */
function weightOf(value: JsonValue | undefined, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 32) return 8;
  let weight = 0;
  for (const part of Object.values(value) as (JsonValue | undefined)[]) weight += weightOf(part, depth + 1);
  return weight;
}

/** A damaged database tells of it when the damaged page is read; what has no code is a bug. */
function damage(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  return error.message;
}
