/**
 * What a model is given, in pi-ai's message shape (the form that the engine's derived context projects to).
 * Thinking blocks keep their signature only inside the harness that made them; writers never carry them across.
 */
import type { JsonObject, JsonValue } from './json.ts';

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
  /** Always an object: a native string that is no JSON object is kept as `{ input: string }`. */
  readonly arguments: JsonObject;
}
export type UserBlock = TextBlock | ImageBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock;

/** Tokens. `input` is what was neither read from nor written to a cache; `reasoning` is part of `output`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning?: number;
  /** US dollars, as the harness reckoned them. */
  readonly cost?: number;
}
export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

export interface SystemMessage {
  readonly role: 'system';
  readonly content: readonly TextBlock[];
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
}
export interface ToolResultMessage {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly UserBlock[];
  readonly isError: boolean;
  readonly details?: JsonValue;
}
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;
