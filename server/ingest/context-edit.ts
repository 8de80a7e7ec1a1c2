/**
 * From records that a harness took out of its model's context, or replaced there, to edits of the entries that they became. Only
 * entries that a model is given at all, and that stand in the branch, are edited: the engine refuses an edit of any other.
 */
import type { EntryEdit, LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { AssistantBlock, Message, UserBlock } from '../../shuttles/contract/message.ts';
import type { Draft } from '../../shuttles/contract/read.ts';

/** `visible` gives the entry of a key, when it stands in the transcript that the edit is written to. */
export function editsOf(
  edit: NonNullable<Draft['edit']>,
  visible: (key: string) => LedgerEntry | undefined,
): readonly EntryEdit[] {
  const targets = new Map<number, Said>();
  for (const key of edit.keys) {
    const entry = visible(key);
    if (entry !== undefined && projects(entry)) targets.set(entry.id, entry);
  }
  return [...targets.values()].map((entry, index) => ({
    target: entry.id,
    messages: index === 0 && edit.content !== null ? instead(entry, edit.content) : [],
  }));
}

type Said = Extract<LedgerEntry, { readonly kind: 'user' | 'assistant' | 'tool_result' | 'system' }>;

function projects(entry: LedgerEntry): entry is Said {
  return entry.kind === 'user' || entry.kind === 'assistant' || entry.kind === 'tool_result' || entry.kind === 'system';
}

/** The role stays: what answers a call still answers it. */
function instead(entry: Said, blocks: readonly AssistantBlock[]): readonly Message[] {
  if (blocks.length === 0) return [];
  const content = blocks.filter((block): block is UserBlock => block.type === 'text' || block.type === 'image');
  switch (entry.kind) {
    case 'assistant': {
      const { model, provider } = entry.content;
      return [
        {
          role: 'assistant',
          content: blocks,
          ...(model === undefined ? {} : { model }),
          ...(provider === undefined ? {} : { provider }),
        },
      ];
    }
    case 'tool_result': {
      const { toolCallId, toolName = '', isError } = entry.content;
      return [{ role: 'toolResult', toolCallId, toolName, content, isError }];
    }
    case 'system':
      return [{ role: 'system', content: content.filter((block) => block.type === 'text') }];
    case 'user':
      return [{ role: 'user', content }];
  }
}
