/**
 * Decides in which conversation of a thread a record stands (one rule for all harnesses, see `Place`):
 * a record continues the branch that its predecessor ends; a predecessor that the talk has already gone on from gets a fork;
 * a predecessor in another native session's branch gets a fork too, since each native session only ever writes its own;
 * a record that the ledger has already (a copy) is not written again, it only moves the source's position.
 * Deterministic: the same outputs over the same ledger give the same conversations.
 */
import { contentKinds } from '../ledger/kinds.ts';
import type { KeyPosition, Position } from '../ledger/keys-table.ts';
import type { Place } from '../../shuttles/contract/read.ts';
import type { Branch, Branches } from './branches.ts';
import type { BatchOutput, OutlinedDraft } from './translated-batch.ts';

/** What placement needs of the commit that it runs in. */
export interface PlacementTarget {
  /** Appends to the conversation, returns the entry's id. */
  entry(draft: OutlinedDraft, conversation: number): number;
  /** A new conversation of this native session; `at: 0` forks before the first entry. */
  conversation(parent: { readonly conversation: number; readonly at: number } | null): number;
}
export interface PlacementLookup {
  key(key: string): Position | undefined;
  floor(key: string, floor: string): Position | undefined;
  alias(alias: string): Position | undefined;
}
export interface Placed {
  readonly draft: OutlinedDraft;
  readonly id: number;
  readonly conversation: number;
}

export class Placement {
  readonly placed: Placed[] = [];
  readonly keys = new Map<string, Position>();
  readonly aliases = new Map<string, Position>();
  copied = 0;
  position: Position;
  readonly #session: string;
  readonly #native: number;
  readonly #branches: Branches;
  readonly #target: PlacementTarget;
  readonly #lookup: PlacementLookup;
  readonly #begin: Position | undefined;

  /** `begin`: where the native session's roots stand, when it goes on with what another one has begun. */
  constructor(
    session: string,
    native: number,
    position: Position,
    branches: Branches,
    target: PlacementTarget,
    lookup: PlacementLookup,
    begin?: Position,
  ) {
    this.#session = session;
    this.#native = native;
    this.position = position;
    this.#branches = branches;
    this.#target = target;
    this.#lookup = lookup;
    this.#begin = begin;
  }

  place(output: BatchOutput): void {
    if (output.type === 'entry') this.#entry(output);
    else if (output.type === 'mark') this.#mark(output.keys, output.after);
    else if (output.type === 'child') this.aliases.set(`agent:${output.nativeId}`, this.position);
  }

  #entry(draft: OutlinedDraft): void {
    const known = draft.keys[0] === undefined ? undefined : this.#key(draft.keys[0]);
    if (known !== undefined) {
      this.copied++;
      this.position = known;
      this.#name(draft.keys, known);
      return;
    }
    const content = contentKinds.has(draft.kind);
    const { branch, stands } = this.#resolve(draft.place, content);
    const id = this.#target.entry(draft, branch.conversation);
    branch.last_entry = id;
    branch.entries++;
    if (content) branch.last_content = id;
    this.placed.push({ draft, id, conversation: branch.conversation });
    // A remark behind an old record does not move that place: what follows the remark still follows the old record.
    const position = content || stands === undefined ? { conversation: branch.conversation, entry: id } : stands;
    this.position = position;
    if (draft.keys[0] !== undefined) this.keys.set(draft.keys[0], position);
    this.#name(draft.keys, position);
  }

  #mark(keys: readonly string[], after: string | null): void {
    const first = keys[0];
    if (first === undefined || this.#key(first) !== undefined) return;
    const position = after === null ? this.#rootPosition() : (this.#key(after) ?? this.position);
    this.keys.set(first, position);
    this.#name(keys, position);
  }

  /** Keys behind the first are aliases. */
  #name(keys: readonly string[], position: Position): void {
    for (let i = 1; i < keys.length; i++) this.aliases.set(keys[i] ?? '', position);
  }

  /** The branch to append to. `stands`: the draft is a remark on an older record, and this is that record's place. */
  #resolve(place: Place, content: boolean): { branch: Branch; stands?: Position } {
    switch (place.kind) {
      case 'tip': {
        const own = this.#branches.owned(this.position.conversation);
        if (own !== undefined) return { branch: own };
        return { branch: this.position.conversation === 0 ? this.#root() : this.#fork(this.position) };
      }
      case 'with': {
        for (const key of place.keys) {
          const position = this.aliases.get(key) ?? this.#lookup.alias(key);
          if (position === undefined) continue;
          const own = this.#branches.owned(position.conversation);
          if (own !== undefined) return { branch: own };
          // The call stands in a copied part: its result goes where this source is, when that is behind the call.
          const here = this.#branches.owned(this.position.conversation);
          if (here !== undefined && this.#branches.descends(here.conversation, position)) return { branch: here };
          return { branch: this.#fork(this.position.conversation === position.conversation ? this.position : position) };
        }
        return this.#behind(place.after === null ? undefined : this.#key(place.after), place.after === null, content);
      }
      case 'after': {
        // A fork that the harness tells of begins with its first record, whatever that is.
        const begins = content || place.fork === true;
        if (place.key === null) return this.#behind(undefined, true, begins);
        const found = this.#key(place.key) ?? (place.floor === undefined ? undefined : this.#floor(place.key, place.floor));
        return this.#behind(found, false, begins);
      }
    }
  }

  #behind(position: Position | undefined, root: boolean, content: boolean): { branch: Branch; stands?: Position } {
    if (root) return content || this.#branches.own.length === 0 ? { branch: this.#root() } : this.#remark(this.#rootPosition());
    const at = position ?? this.position;
    if (at.conversation === 0) return { branch: this.#root() };
    const own = this.#branches.owned(at.conversation);
    if (own !== undefined && own.last_content <= at.entry) return { branch: own };
    return content ? { branch: this.#fork(at) } : this.#remark(at);
  }

  /** A remark never makes a fork: it goes to the end of the branch that it is about, or of the one being written. */
  #remark(at: Position): { branch: Branch; stands?: Position } {
    const own = this.#branches.owned(at.conversation) ?? this.#branches.owned(this.position.conversation);
    return own === undefined ? { branch: this.#fork(at) } : { branch: own, stands: at };
  }

  #rootPosition(): Position {
    if (this.#begin !== undefined) return this.#begin;
    const first = this.#branches.own[0];
    if (first === undefined) return { conversation: this.#root().conversation, entry: 0 };
    // A native session that began as a fork has its roots where that fork's transcript has its own.
    return { conversation: first.conversation, entry: 0 };
  }

  #root(): Branch {
    if (this.#begin !== undefined) {
      const own = this.#branches.owned(this.#begin.conversation);
      return own !== undefined && own.last_content <= this.#begin.entry ? own : this.#fork(this.#begin);
    }
    const first = this.#branches.own[0];
    if (first === undefined) return this.#open(null);
    if (first.last_content === 0 && first.parent_conversation === null) return first;
    return this.#fork({ conversation: first.conversation, entry: 0 });
  }

  #fork(at: Position): Branch {
    const waiting = this.#branches.own.find(
      (branch) => branch.parent_conversation === at.conversation && branch.parent_entry === at.entry && branch.last_content === 0,
    );
    return waiting ?? this.#open({ conversation: at.conversation, at: at.entry });
  }

  #open(parent: { readonly conversation: number; readonly at: number } | null): Branch {
    return this.#branches.add({
      session: this.#session,
      conversation: this.#target.conversation(parent),
      native: this.#native,
      parent_conversation: parent?.conversation ?? null,
      parent_entry: parent?.at ?? null,
      last_content: 0,
      last_entry: 0,
      entries: 0,
      title: '',
    });
  }

  #key(key: string): Position | undefined {
    return this.keys.get(key) ?? this.#lookup.key(key);
  }

  #floor(key: string, floor: string): Position | undefined {
    let best: string | undefined;
    for (const known of this.keys.keys())
      if (known.startsWith(floor) && known <= key && (best === undefined || known > best)) best = known;
    return best === undefined ? this.#lookup.floor(key, floor) : this.keys.get(best);
  }
}

/** Keys of other native sessions' records in the outputs, for telling whether a new native session is a copy or a fork. */
export function joins(
  outputs: readonly BatchOutput[],
  lookup: (key: string) => KeyPosition | undefined,
  floor: (key: string, floor: string) => KeyPosition | undefined,
): KeyPosition | undefined {
  let seen = 0;
  for (const output of outputs) {
    if (output.type !== 'entry' && output.type !== 'mark') continue;
    if (++seen > 64) return undefined;
    const own = output.keys[0];
    const known = own === undefined ? undefined : lookup(own);
    if (known !== undefined) return known;
    if (output.type === 'entry' && output.place.kind === 'after' && output.place.key !== null) {
      const base =
        lookup(output.place.key) ?? (output.place.floor === undefined ? undefined : floor(output.place.key, output.place.floor));
      if (base !== undefined) return base;
    }
  }
  return undefined;
}
