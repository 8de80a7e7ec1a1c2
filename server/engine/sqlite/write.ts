/** Batches to rows. Runs inside the commit's transaction; whatever it throws undoes the whole batch. */
import { Rejected } from '../errors.ts';
import { scratchPlace, statePlace } from '../place.ts';
import type { Place } from '../place.ts';
import type { CommitBatch, Id, MainWrite, StateWrite } from '../records.ts';
import { checkElement, checkId } from '../sequence.ts';
import type { Tables } from './tables.ts';

/** Write i of the batch gets `first + i`. `known` are kinds of entries that the session surely has; returns new ones. */
export function writeBatch(
  tables: Tables,
  session: number,
  batch: CommitBatch,
  first: Id,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const newKinds = new Set<string>();
  if (batch.kind === 'scratch') {
    if (!tables.tasks.isLive(session, batch.task))
      throw new Rejected('taskIsTerminal', `there is no live task ${batch.task} to keep scratch for`);
    batch.writes.forEach((write, i) => writeScratch(tables, session, batch.task, write, first + i));
    return newKinds;
  }
  batch.writes.forEach((write, i) => {
    writeMain(tables, session, write, first + i);
    if (write.type === 'entry' && !known.has(write.entry.kind)) newKinds.add(write.entry.kind);
  });
  for (const kind of newKinds) tables.sessions.addKind(session, kind);
  return newKinds;
}

function writeMain(tables: Tables, session: number, write: MainWrite, seq: Id): void {
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
      return tables.entries.insert(session, write.entry);
    case 'task':
      checkId(write.task.id, seq);
      return tables.tasks.insert(session, write.task, write.role);
    case 'patch':
      return updateTask(tables, session, write.id, write);
    case 'settle':
      return updateTask(tables, session, write.id, { status: write.status, state: write.state, role: 'terminal' });
    case 'value.set':
    case 'value.delete':
    case 'list.append':
    case 'list.remove':
    case 'list.clear':
      return writeState(tables, session, write, seq);
  }
}

function updateTask(tables: Tables, session: number, id: Id, patch: Parameters<Tables['tasks']['update']>[2]): void {
  if (!tables.tasks.update(session, id, patch)) throw new Rejected('taskIsTerminal', `there is no live task ${id}`);
  if (patch.role === 'terminal') tables.scratch.retire(session, id);
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

function writeScratch({ scratch }: Tables, session: number, task: Id, write: StateWrite, seq: Id): void {
  const place = rowPlace(session, scratchPlace(task, write.addr));
  switch (write.type) {
    case 'value.set':
      return scratch.setValue(place, seq, write.value);
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
