/** A batch of one storage version as a batch of another (engine specification 6.5): the same writes in the same order. */
import type { MemoryRecords } from '../memory/records.ts';
import type { MigratedTask, MigrationPath } from '../migration.ts';
import type { CommitBatch, Id, Json, MainWrite, StateWrite } from '../records.ts';

/** `old`: the session before the batch, in its old version. */
export function mappedBatch(batch: CommitBatch, old: MemoryRecords, path: MigrationPath): CommitBatch {
  if (batch.kind === 'scratch') return { ...batch, writes: batch.writes.map((write) => mappedState(write, path)) };
  const tasks = new Map<Id, MigratedTask>();
  return { kind: 'main', writes: batch.writes.map((write) => mappedWrite(write, old, path, tasks)) };
}

/** `tasks`: as the batch leaves them so far, in the old version; a patch may say a part of a task only. */
function mappedWrite(write: MainWrite, old: MemoryRecords, path: MigrationPath, tasks: Map<Id, MigratedTask>): MainWrite {
  switch (write.type) {
    case 'createConversation':
    case 'deleteConversation':
      return write;
    case 'entry':
      return { ...write, entry: { ...write.entry, ...path.entry(write.entry) } };
    case 'task':
      tasks.set(write.task.id, write.task);
      return { ...write, task: { ...write.task, ...path.task(write.task) } };
    case 'patch':
    case 'settle': {
      const before = tasks.get(write.id) ?? storedTask(old, write.id);
      if (before === undefined || (write.status === undefined && write.state === undefined)) return write;
      const after = { ...before, status: write.status ?? before.status, state: write.state ?? before.state };
      tasks.set(write.id, after);
      const { status, state } = path.task(after);
      return { ...write, status, state };
    }
    case 'value.set':
    case 'value.delete':
    case 'list.append':
    case 'list.remove':
    case 'list.clear':
      return mappedState(write, path);
  }
}

function mappedState(write: StateWrite, path: MigrationPath): StateWrite {
  if (write.type === 'value.set') return { ...write, value: path.value(write.addr, write.value) };
  if (write.type === 'list.append') return { ...write, value: path.element(write.addr, write.value) };
  return write;
}

function storedTask(old: MemoryRecords, id: Id): MigratedTask | undefined {
  const [task] = old.tasks.byIds([id]);
  return task === undefined ? undefined : { id, kind: task.kind, status: task.status, state: task.state satisfies Json };
}
