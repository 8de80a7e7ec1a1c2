/**
 * What a model is given, in the message shape that providers' libraries share: system, user, assistant and toolResult messages of
 * blocks. The built-in entry kinds project to these; a host with other messages brings kinds of its own.
 */
import type { Json } from '../records.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
/** `data` is base64 without a data: prefix; an image that is only referred to has `url` instead. */
export interface ImageBlock {
  readonly type: 'image';
  readonly mimeType: string;
  readonly data?: string;
  readonly url?: string;
}
/** `signature` means something only to the provider that made it. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
  readonly redacted?: true;
}
export interface ToolCallBlock {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly [name: string]: Json | undefined };
}
export type UserBlock = TextBlock | ImageBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock;

/** A whole definition as it is sent; `parameters` is a JSON schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

/** With `instructions` it is the baseline of the context or a change of it, and may carry tools; without, it is a remark. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: readonly TextBlock[];
  readonly instructions?: 'baseline' | 'delta';
  readonly toolsAdded?: readonly Tool[];
  readonly toolsRemoved?: readonly Tool[];
}
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
  readonly model?: string;
  readonly provider?: string;
  readonly stopReason?: StopReason;
  readonly errorMessage?: string;
}
export interface ToolResultMessage {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
  readonly details?: Json;
}
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** What ended in an error or was aborted is kept for display and never sent again (engine specification 2.2). */
export function isSuccessful({ stopReason }: Pick<AssistantMessage, 'stopReason'>): boolean {
  return stopReason !== 'error' && stopReason !== 'aborted';
}

/** The calls that are to be answered: none of a message that did not succeed. */
export function callsOf(message: Pick<AssistantMessage, 'content' | 'stopReason'>): readonly ToolCallBlock[] {
  return isSuccessful(message) ? message.content.filter((block) => block.type === 'toolCall') : [];
}
