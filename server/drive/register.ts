/**
 * The last step of a hand-over, one transaction: a fork conversation that begins with the `handoff` entry, the source's cursor behind
 * what Loom wrote (so that it is never read as new), the lease raised by one, and the task done. It holds the thread only as it was
 * composed: one that moved meanwhile is refused, so that nobody is ever given a thread that somebody else drives.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { TaskContext } from '../engine/task-context.ts';
import type { Task } from '../engine/records.ts';
import type { ContinueState } from '../ledger/continue-task.ts';
import { archiveChunks } from '../ledger/archive-chunk.ts';
import { entryKinds } from '../ledger/kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { Fault } from '../protocol/faults.ts';
import { openSource } from '../../shuttles/kit/source.ts';
import { leaseOf } from './handoff.ts';
import type { Handoff, Lease } from './handoff.ts';
import { movedSince } from './position.ts';

/** Throws `Fault` C009; then, and after any other error, nothing was written. `settling` is called inside the transaction. */
export async function registerHandoff(
  ledger: Ledger,
  handoff: Handoff,
  task: Task<ContinueState>,
  context: TaskContext,
  settling: () => void,
): Promise<void> {
  const { thread, tip } = handoff;
  const lease: Lease = { epoch: task.state.epoch + 1, holder: handoff.shuttle.harness };
  await context.commit(
    (tx) => {
      const current = tx.value(leaseOf(thread.id));
      const row = ledger.threads.byNumber(thread.number);
      const moved = movedSince(context.engine, thread, tip, row, current.get()?.epoch ?? 0);
      if (moved !== undefined || row === undefined) throw new Fault('C009', moved ?? '');
      current.set(lease);
      const conversation = tx.createConversation({ parent: { conversationId: thread.current_conversation, at: tip } });
      const entry = tx.in(conversation).entry(entryKinds.handoff, handoff.content);
      tx.settle(task, 'done', { entry });
      return { row, conversation, entry };
    },
    {
      within: (made) => {
        record(ledger, handoff, lease, made);
        settling();
      },
    },
  );
}

interface Made {
  readonly row: ThreadRow;
  readonly conversation: number;
  readonly entry: number;
}

/** The ledger's own rows of it. */
function record(ledger: Ledger, handoff: Handoff, lease: Lease, { row, conversation, entry }: Made): void {
  const { written, back, tip, disclosure, at } = handoff;
  const { harness } = handoff.shuttle;
  const native = ledger.natives.insert({
    harness,
    native_id: written.nativeId,
    thread: row.number,
    session: row.session,
    child_of: null,
    child_call: null,
    child_title: null,
    written_by_loom: 1,
    path: written.path,
  });
  ledger.branches.put({
    session: row.session,
    conversation,
    native,
    parent_conversation: row.current_conversation,
    parent_entry: tip,
    last_content: entry,
    last_entry: entry,
    entries: 1,
    title: '',
  });
  for (const key of back.keys) ledger.keys.put(key, { session: row.session, conversation, entry });
  insertSource(ledger, handoff, native, conversation, entry);
  ledger.threads.update({
    ...row,
    current_native: native,
    current_conversation: conversation,
    current_entry: null,
    harness,
    surface: 'cli',
    updated_at: Math.max(row.updated_at, at),
    entries: row.entries + 1,
    lease_epoch: lease.epoch,
    lease_harness: lease.holder,
    last_turn: null,
  });
  ledger.handoffs.end(harness, written.nativeId, 'done');
  ledger.audit(at, 'handoff', row.id, JSON.stringify(disclosure));
}

function insertSource(
  ledger: Ledger,
  { shuttle, written, back }: Handoff,
  native: number,
  conversation: number,
  entry: number,
): void {
  const number = ledger.sources.insert(written.path, shuttle.harness);
  const row = ledger.sources.byNumber(number);
  if (row === undefined) throw new Error('a source that was just inserted is not there');
  const opened = openSource(written.path, fs.realpathSync.native(path.dirname(written.path)));
  if (!opened.ok) throw new Error(opened.refusal.detail);
  using source = opened.source;
  ledger.sources.update({
    ...row,
    native,
    part: back.identity.part,
    identity: source.facts.ino,
    fingerprint: source.fingerprint() ?? '',
    birth: source.facts.birthtimeMs,
    size: source.facts.size,
    mtime: source.facts.mtimeMs,
    offset: written.bytes.byteLength,
    position_conversation: conversation,
    position_entry: entry,
    state: JSON.stringify(back.state),
    status: 'current',
  });
  for (const chunk of archiveChunks({ source: number, generation: 0, start: 0 }, written.bytes)) ledger.archive.append(chunk);
}
