/** The branches of a thread as the switcher lists them: the current line, other lines, subagents, each said in words. */
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { ConversationView } from '../../server/protocol/views.ts';
import { counted } from '../amounts.ts';
import { oneLine } from '../plain-text.ts';

export interface Branch {
  readonly conversation: number;
  readonly label: string;
  readonly description: string;
  readonly kind: 'current' | 'earlier' | 'subagent';
  /** Steps below the root, for indentation. */
  readonly depth: number;
}

/** In the order of a tree walk; subagents stand below the branch whose call started them. */
export function branches(conversations: readonly ConversationView[]): readonly Branch[] {
  const ids = new Set(conversations.map((conversation) => conversation.id));
  const below = new Map<number | null, ConversationView[]>();
  for (const conversation of conversations) {
    const parent =
      conversation.parent !== null && ids.has(conversation.parent.conversation) ? conversation.parent.conversation : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [conversation]);
    else siblings.push(conversation);
  }
  const listed: Branch[] = [];
  const seen = new Set<number>();
  const walk = (parent: number | null, depth: number): void => {
    for (const conversation of below.get(parent) ?? []) {
      if (seen.has(conversation.id)) continue;
      seen.add(conversation.id);
      listed.push(branch(conversation, depth));
      walk(conversation.id, depth + 1);
    }
  };
  walk(null, 0);
  // A damaged list may hold a ring that no root leads to: its members are listed all the same.
  for (const conversation of conversations) if (!seen.has(conversation.id)) listed.push(branch(conversation, 0));
  return listed;
}

/** Lines that leave the shown transcript at an entry: entry id to branches. Where the shown one itself left its parent, that is the parent. */
export function forksByEntry(
  conversations: readonly ConversationView[],
  shown: number,
): ReadonlyMap<number, readonly ConversationView[]> {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const forks = new Map<number, ConversationView[]>();
  const add = (at: number, conversation: ConversationView): void => {
    const list = forks.get(at);
    if (list === undefined) forks.set(at, [conversation]);
    else list.push(conversation);
  };
  const line = new Set<number>();
  for (let one = byId.get(shown); one !== undefined && !line.has(one.id);) {
    line.add(one.id);
    const parent: ConversationView | undefined = one.parent === null ? undefined : byId.get(one.parent.conversation);
    if (parent !== undefined && one.parent !== null) add(one.parent.at, parent);
    one = parent;
  }
  for (const conversation of conversations) {
    if (conversation.owner === null && conversation.parent !== null && !line.has(conversation.id))
      add(conversation.parent.at, conversation);
  }
  return forks;
}

/** The subagent that a call started. */
export function subagentOf(
  conversations: readonly ConversationView[],
  children: readonly { readonly conversation: number; readonly nativeId: string }[],
  callId: string,
  agent: string | undefined,
): ConversationView | undefined {
  const owned = conversations.find((conversation) => callId !== '' && conversation.owner?.callId === callId);
  if (owned !== undefined) return owned;
  const child = agent === undefined ? undefined : children.find(({ nativeId }) => nativeId === agent);
  return child === undefined ? undefined : conversations.find((conversation) => conversation.id === child.conversation);
}

function branch(conversation: ConversationView, depth: number): Branch {
  const kind = conversation.owner !== null ? 'subagent' : conversation.current ? 'current' : 'earlier';
  const name = oneLine(conversation.title, 80);
  const what = { current: 'current line', earlier: 'earlier line, left', subagent: 'subagent' }[kind];
  return {
    conversation: conversation.id,
    label: name === '' ? `Branch ${conversation.id}` : name,
    description: [what, harnessNames[conversation.harness], counted(conversation.entries, 'entry', 'entries')].join(' · '),
    kind,
    depth,
  };
}
