/**
 * Packs that were given to a commit, beside the batch that they are of. What they must be is what keeps packs findable (pack-rows.ts);
 * of their contents only the batch's own word is taken.
 */
import { Rejected } from '../errors.ts';
import type { CommitBatch, Entry, Id } from '../records.ts';
import type { EntryPack } from '../storage.ts';
import { codecs } from './pack-codec.ts';
import { packLimits } from './pack-limits.ts';

export interface CheckedPack {
  readonly entries: readonly Entry[];
  readonly pack: EntryPack;
}
export interface CheckedPacks {
  readonly packs: readonly CheckedPack[];
  /** All of their entries. */
  readonly ids: ReadonlySet<Id>;
}

const none: CheckedPacks = { packs: [], ids: new Set() };

/** `first`: the number of the batch's first write. Throws Rejected `malformed`. */
export function checkedPacks(batch: CommitBatch, packs: readonly EntryPack[], first: Id): CheckedPacks {
  if (packs.length === 0) return none;
  const places = new Map<Id, number>();
  packs.forEach((pack, number) => {
    checkPack(pack);
    for (const id of pack.ids) {
      if (places.has(id)) throw refused(`entry ${id} is in two packs`);
      places.set(id, number);
    }
  });
  const entries = packs.map((): Entry[] => []);
  /** By conversation: the pack that has begun and not ended, which has all of its entries but heads. */
  const begun = new Map<Id, number>();
  let found = 0;
  const writes = batch.kind === 'main' ? batch.writes : [];
  writes.forEach((write, i) => {
    const number = places.get(first + i);
    if (write.type !== 'entry') return;
    const { entry } = write;
    const open = begun.get(entry.conversationId);
    if (entry.head !== undefined) {
      if (number !== undefined) throw refused(`entry ${entry.id} is a head`);
      return;
    }
    if (open !== undefined && open !== number) throw refused(`entry ${entry.id} stands between those of a pack that has it not`);
    if (number === undefined) return;
    found++;
    const part = entries[number] ?? [];
    part.push(entry);
    if (part[0]?.conversationId !== entry.conversationId) throw refused(`entry ${entry.id} is of another conversation`);
    if (part.length === packs[number]?.ids.length) begun.delete(entry.conversationId);
    else begun.set(entry.conversationId, number);
  });
  if (found !== places.size) throw refused('they name what is no entry of the batch');
  return { packs: packs.map((pack, number) => ({ pack, entries: entries[number] ?? [] })), ids: new Set(places.keys()) };
}

function checkPack({ ids, contents, codec, size }: EntryPack): void {
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined || ids.length > packLimits.entries)
    throw refused(`one has ${ids.length} entries, not 1 to ${packLimits.entries}`);
  if (ids.some((id, i) => i > 0 && id <= (ids[i - 1] ?? id))) throw refused('the entries of one do not ascend');
  if (last - first >= packLimits.span) throw refused(`one reaches over more than ${packLimits.span} numbers`);
  const isKnown = Object.values<number>(codecs).includes(codec);
  if (!isKnown || !Number.isSafeInteger(size) || size < ids.length || (codec === codecs.stored && contents.length !== size))
    throw refused('the contents of one cannot be what was compressed');
}

function refused(why: string): Rejected {
  return new Rejected('malformed', `the packs of a commit do not fit it: ${why}`);
}
