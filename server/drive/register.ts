/**
 * Makes a written native session the thread's: a fork conversation that begins with the hand-over, the source's cursor behind
 * what Loom wrote (so that it is never read as new), and the lease. One transaction.
 */
import fs from 'node:fs';
import { sessionValue } from '../engine/address.ts';
import type { ContextMessage } from '../ledger/context.ts';
import { entryKinds } from '../ledger/kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { Disclosure } from '../protocol/requests.ts';
import type { Stored } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Shuttle, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { openSource } from '../../shuttles/kit/source.ts';
import type { ReadBack } from './read-back.ts';

export interface Handoff {
  readonly thread: ThreadRow;
  readonly shuttle: Shuttle;
  readonly written: WrittenSession;
  readonly back: ReadBack;
  /** The entry that the thread goes on from. */
  readonly tip: number;
  readonly context: readonly ContextMessage[];
  readonly baton: string;
  /** The person changed the baton before it went. */
  readonly edited: boolean;
  readonly disclosure: Disclosure;
  readonly at: number;
}
export interface Lease {
  readonly epoch: number;
  readonly holder: HarnessId;
}

export async function registerHandoff(ledger: Ledger, handoff: Handoff): Promise<Lease> {
  const { thread, shuttle, written, back, tip, context, disclosure, at } = handoff;
  const { harness } = shuttle;
  const engine = await ledger.engine(thread.session);
  const lease: Lease = { epoch: thread.lease_epoch + 1, holder: harness };
  const retained = context.filter(({ head }) => !head).flatMap(({ entries }) => entries);
  const carried = context.filter(({ head, baton }) => head && baton !== 'compiled').map(({ message }) => message);
  const content: Stored<'handoff'> = {
    text: handoff.baton,
    from: thread.harness,
    to: harness,
    mode: 'native',
    nativeId: written.nativeId,
    bytes: Buffer.byteLength(handoff.baton),
    masked: disclosure.masked,
    quoted: disclosure.quoted,
    ...(handoff.edited ? { edited: true } : {}),
    ...(retained.length === 0 ? {} : { retainFrom: Math.min(...retained) }),
    ...(carried.length === 0 ? {} : { carried }),
    at,
    provenance: { harness, source: 0, offset: 0, length: 0, translator: 1, trust: 'loom' },
  };
  await engine.commit(
    (tx) => {
      tx.value(sessionValue<Lease>('loom.lease', thread.id)).set(lease);
      const conversation = tx.createConversation({ parent: { conversationId: thread.current_conversation, at: tip } });
      return { conversation, entry: tx.entry(entryKinds.handoff, conversation, content) };
    },
    {
      within: ({ conversation, entry }) => {
        const native = ledger.natives.insert({
          harness,
          native_id: written.nativeId,
          thread: thread.number,
          session: thread.session,
          child_of: null,
          child_call: null,
          child_title: null,
          written_by_loom: 1,
          path: written.path,
        });
        ledger.branches.put({
          session: thread.session,
          conversation,
          native,
          parent_conversation: thread.current_conversation,
          parent_entry: tip,
          last_content: entry,
          last_entry: entry,
          entries: 1,
          title: '',
        });
        for (const key of back.keys) ledger.keys.put(key, { session: thread.session, conversation, entry });
        insertSource(ledger, handoff, native, conversation, entry);
        ledger.threads.update({
          ...thread,
          current_native: native,
          current_conversation: conversation,
          current_entry: null,
          harness,
          surface: 'cli',
          updated_at: Math.max(thread.updated_at, at),
          entries: thread.entries + 1,
          lease_epoch: lease.epoch,
          lease_harness: harness,
          last_turn: null,
        });
        ledger.handoffs.end(harness, written.nativeId, 'done');
        ledger.audit(at, 'handoff', thread.id, JSON.stringify(disclosure));
      },
    },
  );
  return lease;
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
  const opened = openSource(written.path, fs.realpathSync.native(parentOf(written.path)));
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
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
}
