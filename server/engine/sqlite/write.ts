/** Batches to rows. Runs inside the commit's transaction; whatever it throws undoes the whole batch. */
import { Rejected } from '../errors.ts';
import { jsonText } from '../json-text.ts';
import { scratchPlace, statePlace } from '../place.ts';
import type { Place } from '../place.ts';
import type { CommitBatch, Id, MainWrite, StateWrite } from '../records.ts';
import { checkElement, checkId } from '../sequence.ts';
import type { CheckedPacks } from './pack-check.ts';
import type { RecentRows } from './recent-rows.ts';
import type { Tables } from './tables.ts';
import type { TaskPatch } from './task-rows.ts';

export interface Written {
  /** Kinds of entries that the session had not, as far as is known. */
  readonly newKinds: ReadonlySet<string>;
  /** The text of write i's task state, where it has one. */
  readonly states: readonly (string | undefined)[];
}

/**
 * Write i of the batch gets `first + i`. `known` are kinds of entries that the session surely has; `recent`: what its writer knows of its rows;
 * `packed`: of the batch's entries, those that are not to be rows.
 */
export function writeBatch(
  tables: Tables,
  session: number,
  batch: CommitBatch,
  first: Id,
  known: ReadonlySet<string>,
  recent: RecentRows,
  packed: CheckedPacks,
): Written {
  if (batch.kind === 'scratch') {
    const { task, writes } = batch;
    if (!recent.isLive(task) && !tables.tasks.isLive(session, task))
      throw new Rejected('taskIsTerminal', `there is no live task ${task} to keep scratch for`);
    const isFirst = recent.hasNoScratch(task);
    writes.forEach((write, i) => writeScratch(tables, session, task, write, first + i, isFirst && i === 0));
    return nothingNew;
  }
  const newKinds = new Set<string>();
  const states = batch.writes.map(stateText);
  batch.writes.forEach((write, i) => {
    if (packed.ids.has(first + i) && write.type === 'entry') checkId(write.entry.id, first + i);
    else writeMain(tables, session, recent, write, first + i, states[i]);
    if (write.type === 'entry' && !known.has(write.entry.kind)) newKinds.add(write.entry.kind);
  });
  for (const { entries, pack } of packed.packs) tables.packs.add(session, entries, pack);
  if (packed.packs.length > 0) tables.packed.add(session);
  for (const kind of newKinds) tables.sessions.addKind(session, kind);
  return { newKinds, states };
}

const nothingNew: Written = { newKinds: new Set(), states: [] };

function stateText(write: MainWrite): string | undefined {
  if (write.type === 'task') return jsonText(write.task.state);
  if (write.type === 'settle' || (write.type === 'patch' && write.state !== undefined)) return jsonText(write.state ?? null);
  return undefined;
}

function writeMain(tables: Tables, session: number, recent: RecentRows, write: MainWrite, seq: Id, state = ''): void {
  switch (write.type) {
    case 'createConversation':
      checkId(write.conversation.id, seq);
      return tables.conversations.insert(session, write.conversation);
    case 'deleteConversation':
      if (!tables.conversations.markDeleted(session, write.id, seq))
        throw new Rejected('unknownConversation', `there is no conversation ${write.id}`);
      return;
    case 'entry':
      checkId(write.entry.id, seq);
      return tables.entryRows.insert(session, write.entry);
    case 'task':
      checkId(write.task.id, seq);
      return tables.tasks.insert(session, write.task, write.role, state);
    case 'patch': {
      const { status, role, abort } = write;
      return updateTask(tables, session, recent, write.id, {
        ...(status === undefined ? {} : { status }),
        ...(role === undefined ? {} : { role }),
        ...(write.state === undefined ? {} : { state }),
        ...(abort === undefined ? {} : { abort }),
      });
    }
    case 'settle':
      return updateTask(tables, session, recent, write.id, { status: write.status, state, role: 'terminal' });
    case 'value.set':
    case 'value.delete':
    case 'list.append':
    case 'list.remove':
    case 'list.clear':
      return writeState(tables, session, write, seq);
  }
}

function updateTask(tables: Tables, session: number, recent: RecentRows, id: Id, patch: TaskPatch): void {
  if (!tables.tasks.update(session, id, patch)) throw new Rejected('taskIsTerminal', `there is no live task ${id}`);
  if (patch.role === 'terminal' && !recent.hasNoScratch(id)) tables.scratch.retire(session, id);
}

function writeState({ values, lists }: Tables, session: number, write: StateWrite, seq: Id): void {
  const { addr } = write;
  const place = rowPlace(session, statePlace(addr));
  switch (write.type) {
    case 'value.set':
      return addr.rewind ? values.addVersion(place, seq, write.value) : values.set(place, seq, write.value);
    case 'value.delete':
      return addr.rewind ? values.addDeletion(place, seq) : values.remove(place);
    case 'list.append':
      return lists.append(place, addr.rewind, seq, write.value);
    case 'list.remove':
      checkElement(write.element);
      return addr.rewind ? lists.markRemoved(place, write.element, seq) : lists.removeSticky(place, write.element);
    case 'list.clear':
      return addr.rewind ? lists.markCleared(place, seq) : lists.clearSticky(place);
  }
}

/** `isFirst`: the task has no scratch yet. */
function writeScratch({ scratch }: Tables, session: number, task: Id, write: StateWrite, seq: Id, isFirst: boolean): void {
  const place = rowPlace(session, scratchPlace(task, write.addr));
  switch (write.type) {
    case 'value.set':
      if (!isFirst) scratch.deleteValue(place);
      return scratch.addValue(place, seq, write.value);
    case 'value.delete':
      return scratch.deleteValue(place);
    case 'list.append':
      return scratch.append(place, seq, write.value);
    case 'list.remove':
      checkElement(write.element);
      return scratch.remove(place, write.element);
    case 'list.clear':
      return scratch.clear(place);
  }
}

function rowPlace(session: number, { id, namespace, key }: Place): [number, Id, string, string] {
  return [session, id, namespace, key];
}
