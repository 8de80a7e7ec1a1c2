/**
 * The entry kinds that every session has (engine specification 2.1): user, assistant, tool_result, system, notice, summary,
 * handoff and reset. Opening registers them under the host's own, so a host's kind of the same name replaces one. All declare
 * their part in exchanges but notice, which may stand anywhere.
 */
import { entryKind } from '../kinds.ts';
import type { EntryKind } from '../kinds.ts';
import type { Id, Json } from '../records.ts';
import { callsOf, isSuccessful, textBlock } from './messages.ts';
import type { AssistantMessage, Message, ToolResultMessage, UserBlock, UserMessage } from './messages.ts';
import { projectSystem } from './system.ts';
import type { SystemContent } from './system.ts';

export interface UserContent {
  readonly content: UserMessage['content'];
}
export type AssistantContent = Omit<AssistantMessage, 'role'>;
/** Commentary about a call, apart from the data that it returned (9.3). */
export interface Diagnostic {
  readonly severity: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly code?: string;
}
export interface ToolResultContent extends Omit<ToolResultMessage, 'role'> {
  readonly diags?: readonly Diagnostic[];
}
export interface NoticeContent {
  readonly text: string;
}
/** `retainFrom`: the first entry that was not summarized; absent, nothing earlier is retained. */
export interface SummaryContent {
  readonly text: string;
  readonly retainFrom?: Id;
}
export interface HandoffContent {
  readonly text: string;
}
export interface ResetContent {
  readonly reason?: string;
  readonly details?: Json;
}

export const userKind = entryKind<UserContent, Message>('user', {
  project: ({ content }) => [{ role: 'user', content: content.content }],
  exchange: () => ({ starts: true }),
});
export const assistantKind = entryKind<AssistantContent, Message>('assistant', {
  project: ({ content }) => (isSuccessful(content) ? [{ role: 'assistant', ...content }] : []),
  exchange: ({ content }) => ({ starts: true, calls: callsOf(content).map(({ id }) => id) }),
});
export const toolResultKind = entryKind<ToolResultContent, Message>('tool_result', {
  project: ({ content: { diags = [], ...result } }) => [
    { role: 'toolResult', ...result, content: [...result.content, ...commentary(diags)] },
  ],
  exchange: ({ content }) => ({ answers: content.toolCallId }),
});
export const systemKind = entryKind<SystemContent, Message>('system', {
  project: ({ content }) => projectSystem(content),
  exchange: () => ({ governs: true }),
});
export const noticeKind = entryKind<NoticeContent, Message>('notice', {
  project: ({ content }) => [{ role: 'system', content: [textBlock(content.text)] }],
});
export const summaryKind = entryKind<SummaryContent, Message>('summary', {
  head: ({ id, content }) => content.retainFrom ?? id,
  project: ({ content }) => [{ role: 'user', content: [textBlock(content.text)] }],
  exchange: () => ({}),
});
export const handoffKind = entryKind<HandoffContent, Message>('handoff', {
  head: ({ id }) => id,
  project: ({ content }) => [{ role: 'user', content: [textBlock(content.text)] }],
  exchange: () => ({}),
});
export const resetKind = entryKind<ResetContent, Message>('reset', { head: ({ id }) => id, exchange: () => ({}) });

const builtIn = [userKind, assistantKind, toolResultKind, systemKind, noticeKind, summaryKind, handoffKind, resetKind];

/** For a registry whose messages are the host's. A host with other messages than the built-in ones replaces the kinds that it uses. */
export function builtInEntryKinds<HostMessage>(): readonly EntryKind<unknown, HostMessage>[] {
  return builtIn as readonly EntryKind<unknown>[] as readonly EntryKind<unknown, HostMessage>[];
}

/** Behind the data and delimited, so that a model can read the data as such. */
function commentary(diags: readonly Diagnostic[]): readonly UserBlock[] {
  if (diags.length === 0) return [];
  return [textBlock(`<harness>\n${diags.map(({ severity, message }) => `[${severity}] ${message}`).join('\n')}\n</harness>`)];
}
