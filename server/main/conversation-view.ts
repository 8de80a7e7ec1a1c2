/** The branches of a thread: its main line, rewinds, hand-overs and subagents, for the switcher and for `loom show`. */
import type { BranchRow } from '../ledger/branches-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { ConversationView } from '../protocol/views.ts';

export function conversationViews(ledger: Ledger, row: ThreadRow): readonly ConversationView[] {
  const natives = ledger.natives.byThread(row.number);
  const views = natives.flatMap((native) =>
    ledger.branches.byNative(native.number).map((branch) => view(ledger, row, native, branch)),
  );
  if (views.some((conversation) => conversation.id === row.current_conversation) || row.current_conversation === 0) return views;
  // A fork that has nothing of its own yet stands in its parent's conversation.
  const shared = ledger.branches.get(row.session, row.current_conversation);
  return shared === undefined ? views : [{ ...baseOf(shared, row), title: 'Main', harness: row.harness }, ...views];
}

function view(ledger: Ledger, row: ThreadRow, native: NativeRow, branch: BranchRow): ConversationView {
  const base = baseOf(branch, row);
  if (native.child_of === null || row.child === 1)
    return { ...base, title: titleOf(ledger, row, native, branch), harness: native.harness };
  const call = native.child_call === null ? undefined : ledger.keys.getAlias(native.child_of, `call:${native.child_call}`);
  const started = ledger.keys.getAlias(native.child_of, `agent:${native.native_id}`);
  return {
    ...base,
    owner: { entry: call?.entry ?? started?.entry ?? null, callId: native.child_call },
    title: native.child_title ?? 'Subagent',
    harness: native.harness,
  };
}

function baseOf(branch: BranchRow, row: ThreadRow): Omit<ConversationView, 'title' | 'harness'> {
  return {
    id: branch.conversation,
    parent:
      branch.parent_conversation === null ? null : { conversation: branch.parent_conversation, at: branch.parent_entry ?? 0 },
    owner: null,
    current: branch.conversation === row.current_conversation,
    entries: branch.entries,
    last: branch.last_entry,
  };
}

function titleOf(ledger: Ledger, row: ThreadRow, native: NativeRow, branch: BranchRow): string {
  if (branch.title !== '') return branch.title;
  if (branch.conversation === row.current_conversation) return 'Main';
  if (native.number !== row.current_native) {
    const inConflict = ledger.conflicts?.openOf(row.number).some(({ conversation }) => conversation === branch.conversation);
    return inConflict === true ? 'Gone on with after the hand-over' : 'Before the hand-over';
  }
  return branch.parent_conversation === null ? 'Earlier start' : 'Left behind';
}
