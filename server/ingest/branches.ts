/**
 * The conversations of one native session while a batch is placed: what the tables know, overlaid with what the batch adds.
 * Nothing is written here; `changed()` is what goes into the tables with the commit.
 */
import type { BranchRow } from '../ledger/branches-table.ts';

export interface Branch {
  session: string;
  conversation: number;
  native: number;
  parent_conversation: number | null;
  parent_entry: number | null;
  last_content: number;
  last_entry: number;
  entries: number;
  title: string;
}

export class Branches {
  readonly #get: (conversation: number) => BranchRow | undefined;
  readonly #overlay = new Map<number, Branch>();
  readonly #own: Branch[];

  constructor(own: readonly BranchRow[], get: (conversation: number) => BranchRow | undefined) {
    this.#get = get;
    this.#own = own.map((row) => ({ ...row }));
    for (const branch of this.#own) this.#overlay.set(branch.conversation, branch);
  }

  /** Branches that this native session writes, oldest first. */
  get own(): readonly Branch[] {
    return this.#own;
  }

  /** The branch, if this native session may append to it. */
  owned(conversation: number): Branch | undefined {
    return this.#own.find((branch) => branch.conversation === conversation);
  }

  /** Any branch of the session, for walking up to where it was forked. */
  any(conversation: number): Branch | undefined {
    const known = this.#overlay.get(conversation);
    if (known !== undefined) return known;
    const row = this.#get(conversation);
    if (row === undefined) return undefined;
    const branch = { ...row };
    this.#overlay.set(conversation, branch);
    return branch;
  }

  add(branch: Branch): Branch {
    this.#overlay.set(branch.conversation, branch);
    this.#own.push(branch);
    return branch;
  }

  /** Does the transcript of `conversation` contain the position (inherited parts included)? */
  descends(conversation: number, position: { readonly conversation: number; readonly entry: number }): boolean {
    let at: Branch | undefined = this.any(conversation);
    if (at?.conversation === position.conversation) return true;
    for (let depth = 0; at !== undefined && depth < 10_000; depth++) {
      if (at.parent_conversation === position.conversation) return (at.parent_entry ?? 0) >= position.entry;
      at = at.parent_conversation === null ? undefined : this.any(at.parent_conversation);
    }
    return false;
  }
}
