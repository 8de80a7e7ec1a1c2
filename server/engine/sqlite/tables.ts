/** Every statement of the engine on one connection, prepared once and shared by all sessions of the file. */
import type { Database } from 'better-sqlite3';
import { conversationRows } from './conversation-rows.ts';
import type { ConversationRows } from './conversation-rows.ts';
import { entryRows } from './entry-rows.ts';
import type { EntryRows } from './entry-rows.ts';
import { listRows } from './list-rows.ts';
import type { ListRows } from './list-rows.ts';
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
  readonly entries: EntryRows;
  readonly lists: ListRows;
  readonly scratch: ScratchRows;
  readonly sessions: SessionRows;
  readonly tasks: TaskRows;
  readonly values: ValueRows;
}

export function prepareTables(db: Database): Tables {
  return {
    conversations: conversationRows(db),
    entries: entryRows(db),
    lists: listRows(db),
    scratch: scratchRows(db),
    sessions: sessionRows(db),
    tasks: taskRows(db),
    values: valueRows(db),
  };
}
