/** Every statement of the engine on one connection, prepared once and shared by all sessions of the file. */
import type { Database } from 'better-sqlite3';
import { conversationRows } from './conversation-rows.ts';
import type { ConversationRows } from './conversation-rows.ts';
import { entryReads } from './entry-reads.ts';
import type { EntryReads } from './entry-reads.ts';
import { entryRows } from './entry-rows.ts';
import type { EntryRows } from './entry-rows.ts';
import { listRows } from './list-rows.ts';
import type { ListRows } from './list-rows.ts';
import { PackCache } from './pack-cache.ts';
import { packRows } from './pack-rows.ts';
import type { PackRows } from './pack-rows.ts';
import { PackedEntries } from './packed-entries.ts';
import { PackedSessions } from './packed-sessions.ts';
import { scratchRows } from './scratch-rows.ts';
import type { ScratchRows } from './scratch-rows.ts';
import { sessionRows } from './session-rows.ts';
import type { SessionRows } from './session-rows.ts';
import { taskRows } from './task-rows.ts';
import type { TaskRows } from './task-rows.ts';
import { valueRows } from './value-rows.ts';
import type { ValueRows } from './value-rows.ts';

export interface Tables {
  readonly conversations: ConversationRows;
  /** Whether they are rows or stand in packs. */
  readonly entries: EntryReads;
  readonly entryRows: EntryRows;
  readonly lists: ListRows;
  readonly packs: PackRows;
  readonly packed: PackedSessions;
  readonly packCache: PackCache;
  readonly packedEntries: PackedEntries;
  readonly scratch: ScratchRows;
  readonly sessions: SessionRows;
  readonly tasks: TaskRows;
  readonly values: ValueRows;
}

export function prepareTables(db: Database): Tables {
  const [rows, packs, packCache] = [entryRows(db), packRows(db), new PackCache()];
  const [packed, packedEntries] = [new PackedSessions(packs), new PackedEntries(packs, packCache)];
  return {
    conversations: conversationRows(db),
    entries: entryReads(db, rows, packedEntries, packed),
    entryRows: rows,
    packs,
    packed,
    packCache,
    packedEntries,
    lists: listRows(db),
    scratch: scratchRows(db),
    sessions: sessionRows(db),
    tasks: taskRows(db),
    values: valueRows(db),
  };
}
