/** From a ledger entry to the row that is drawn. Pure; long text is clipped for the wire unless `whole`. */
import { callFacts } from '../baton/call-title.ts';
import type { CallView, EntryView, ImageView } from '../protocol/views.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { AssistantBlock, ToolCallBlock, UserBlock } from '../../shuttles/contract/message.ts';

const clipAt = 16_000;
const clipInputAt = 8_000;
const imageLimit = 512 * 1024;

export function entryView(entry: LedgerEntry, whole = false): EntryView {
  const common = {
    id: entry.id,
    conversation: entry.conversationId,
    at: entry.content.at,
    harness: entry.content.provenance.harness,
    provenance: entry.content.provenance,
  };
  const limit = whole ? Number.POSITIVE_INFINITY : clipAt;
  switch (entry.kind) {
    case 'user': {
      const text = textOf(entry.content.content);
      return {
        ...common,
        kind: 'user',
        origin: entry.content.origin,
        ...(entry.content.sender === undefined ? {} : { sender: entry.content.sender }),
        ...clipped(text, limit),
        images: imagesOf(entry.content.content),
      };
    }
    case 'assistant': {
      const { content } = entry.content;
      return {
        ...common,
        kind: 'assistant',
        messageId: entry.content.messageId ?? null,
        ...clipped(textOf(content), limit),
        thinking: clip(thinkingOf(content), limit),
        model: entry.content.model ?? null,
        commentary: entry.content.commentary === true,
        failed: entry.content.stopReason === 'error',
        calls: content.filter((block) => block.type === 'toolCall').map((block) => callView(block, whole)),
        images: imagesOf(content),
      };
    }
    case 'tool_result':
      return {
        ...common,
        kind: 'tool_result',
        callId: entry.content.toolCallId,
        name: entry.content.toolName ?? '',
        ...output(textOf(entry.content.content), limit),
        isError: entry.content.isError,
        details: entry.content.details ?? {},
        images: imagesOf(entry.content.content),
      };
    case 'step':
      return {
        ...common,
        kind: 'step',
        title: clip(entry.content.title, 400),
        ...output(entry.content.output ?? '', limit),
        isError: entry.content.isError,
        details: entry.content.details,
      };
    case 'system':
      return { ...common, kind: 'system', ...clipped(entry.content.text, limit) };
    case 'notice':
      return {
        ...common,
        kind: 'notice',
        level: entry.content.level,
        code: entry.content.code,
        text: clip(withoutEpoch(entry.content.text), limit),
        ...(entry.content.resetsAt === undefined ? {} : { resetsAt: entry.content.resetsAt }),
      };
    case 'summary':
      return { ...common, kind: 'summary', trigger: entry.content.trigger ?? null, ...clipped(entry.content.text, limit) };
    case 'handoff':
      return {
        ...common,
        kind: 'handoff',
        from: entry.content.from,
        to: entry.content.to,
        mode: entry.content.mode,
        bytes: entry.content.bytes,
        masked: entry.content.masked,
        quoted: entry.content.quoted,
        ...clipped(entry.content.text, limit),
      };
    case 'reset':
      return { ...common, kind: 'reset', reason: entry.content.reason };
    case 'plan':
      return { ...common, kind: 'plan', items: entry.content.items };
    case 'turn':
      return {
        ...common,
        kind: 'turn',
        phase: entry.content.phase,
        durationMs: entry.content.durationMs ?? null,
        error: entry.content.error === undefined ? null : withoutEpoch(entry.content.error),
      };
    case 'setting':
      return { ...common, kind: 'setting', name: entry.content.name, value: entry.content.value };
    case 'snapshot':
      return { ...common, kind: 'snapshot', ref: entry.content.ref };
    case 'opaque':
      return {
        ...common,
        kind: 'opaque',
        nativeType: entry.content.nativeType,
        damaged: entry.content.damaged === true,
        note: entry.content.note ?? '',
      };
  }
}

/** Claude Code says when a limit ends as seconds behind a bar; `resetsAt` says it for people. */
function withoutEpoch(text: string): string {
  return text.replace(/(\blimit reached)\|\d{10,13}\b/giu, '$1');
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
function clipped(text: string, limit: number): { readonly text: string; readonly clipped: boolean } {
  return { text: clip(text, limit), clipped: text.length > limit };
}
function output(text: string, limit: number): { readonly output: string; readonly clipped: boolean } {
  return { output: clip(text, limit), clipped: text.length > limit };
}

export function textOf(blocks: readonly (UserBlock | AssistantBlock)[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}
function thinkingOf(blocks: readonly AssistantBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n\n');
}
function imagesOf(blocks: readonly (UserBlock | AssistantBlock)[]): readonly ImageView[] {
  return blocks.flatMap((block) =>
    block.type === 'image'
      ? [
          {
            mimeType: block.mimeType,
            ...(block.data === undefined || block.data.length > imageLimit ? {} : { data: block.data }),
          },
        ]
      : [],
  );
}

function callView(call: ToolCallBlock, whole: boolean): CallView {
  const input = JSON.stringify(call.arguments, null, 2);
  return {
    id: call.id,
    name: call.name,
    title: clip(callFacts(call).title.replace(/\s+/gu, ' ').trim(), 240),
    input: whole ? input : clip(input, clipInputAt),
  };
}
