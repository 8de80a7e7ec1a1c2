/**
 * Entries that the ledger holds and cannot read, since their pack is damaged: which threads that hurts, the fault that names them, and what
 * stands in the place of such entries where a thread is shown. What a model is to be given never has a hole that nobody is told of.
 */
import { DamagedPack } from '../engine/sqlite/damaged-pack.ts';
import { Fault } from '../protocol/faults.ts';
import type { LedgerEntry, OpaqueContent } from '../../shuttles/contract/entry.ts';
import type { Ledger } from './ledger.ts';

/** Threads that a fault names. */
export const mostNamedInFault = 5;

/** `OpaqueContent.nativeType` of an entry that stands for what cannot be read. */
const unreadable = 'ledger';

/** Of entries from `first` to `last` of a conversation, `count` of them. */
export function standInContent(first: number, last: number, count: number): OpaqueContent {
  const which = count === 1 ? `entry ${first} is` : `${count} entries (${first} to ${last}) are`;
  return {
    nativeType: unreadable,
    damaged: true,
    note: `${which} damaged in the ledger and cannot be read. \`loom doctor --deep\` tells more.`,
  };
}

/** Do both stand for the same pack? */
export function areOneStandIn(one: LedgerEntry, other: LedgerEntry): boolean {
  return isStandIn(one) && isStandIn(other) && one.content.note === other.content.note;
}

function isStandIn(entry: LedgerEntry): entry is LedgerEntry & { readonly kind: 'opaque' } {
  return entry.kind === 'opaque' && entry.content.nativeType === unreadable && entry.content.provenance.source === 0;
}

/** Numbers of the threads that have the conversation, or go on from it. */
export function threadsWith(ledger: Ledger, session: string, conversation: number): readonly number[] {
  const branches = ledger.branches.bySession(session);
  const parents = new Map(branches.map((branch) => [branch.conversation, branch.parent_conversation]));
  const has = (own: number): boolean => {
    // What a conversation goes on from is older than itself.
    for (let at: number | null = own; at !== null && at >= conversation; at = parents.get(at) ?? null)
      if (at === conversation) return true;
    return false;
  };
  const natives = branches.filter((branch) => has(branch.conversation)).map(({ native }) => native);
  return natives.flatMap((native) => ledger.natives.byNumber(native)?.thread ?? []);
}

/** Ids of the threads, in order, those beyond `most` as a number. */
export function namedThreads(ids: Iterable<string>, most: number): string {
  const all = [...new Set(ids)].toSorted();
  const more = all.length - most;
  return `${all.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more threads` : ''}`;
}

/** Of what was thrown: the session in which a pack could not be read, and what a person is told of it; undefined: it is something else. */
export function damageIn(
  ledger: Ledger,
  error: unknown,
): { readonly session: string | undefined; readonly fault: Fault } | undefined {
  if (!(error instanceof DamagedPack)) return undefined;
  const session = ledger.sessionOf(error);
  const threads = session === undefined ? [] : threadsWith(ledger, session, error.place?.conversation ?? 0);
  const ids = threads.flatMap((thread) => ledger.threads.byNumber(thread)?.id ?? []);
  return { session, fault: new Fault('L009', namedThreads(ids, mostNamedInFault)) };
}
