/**
 * Masks the history that a thread carries into another harness's session, before it is written: every text, every argument
 * of a call, every detail. A value learnt anywhere is masked everywhere, also before the place that gave it away. What
 * pairs calls with results (ids), names of tools and models, and image data stay as they are.
 */
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import type { AssistantBlock, Message, UserBlock } from '../../shuttles/contract/message.ts';
import { createMasker } from './mask.ts';
import { classifyName } from './secret-names.ts';

export interface MaskedMessages {
  readonly messages: readonly Message[];
  readonly masked: number;
}

export function maskMessages(messages: readonly Message[], salt: string): MaskedMessages {
  const masker = createMasker(salt);
  const learner = new Walk((text) => {
    masker.learn(text);
    return text;
  });
  for (const message of messages) learner.message(message);
  let masked = 0;
  const walk = new Walk((text) => {
    const result = masker.mask(text);
    masked += result.count;
    return result.text;
  });
  return { messages: messages.map((message) => walk.message(message)), masked };
}

/** Goes through messages and changes every text in them by one function; what is unchanged keeps its identity. */
class Walk {
  readonly #change: (text: string) => string;

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  message(message: Message): Message {
    switch (message.role) {
      case 'system':
        return { ...message, content: message.content.map((block) => ({ ...block, text: this.#change(block.text) })) };
      case 'user':
        return { ...message, content: message.content.map((block) => this.#userBlock(block)) };
      case 'assistant':
        return { ...message, content: message.content.map((block) => this.#assistantBlock(block)) };
      case 'toolResult': {
        const content = message.content.map((block) => this.#userBlock(block));
        return message.details === undefined
          ? { ...message, content }
          : { ...message, content, details: this.json(message.details, '') };
      }
    }
  }

  #userBlock(block: UserBlock): UserBlock {
    if (block.type === 'text') return { ...block, text: this.#change(block.text) };
    return block.url === undefined || block.url.startsWith('data:') ? block : { ...block, url: this.#change(block.url) };
  }

  #assistantBlock(block: AssistantBlock): AssistantBlock {
    switch (block.type) {
      case 'text':
      case 'image':
        return this.#userBlock(block);
      case 'thinking':
        return { ...block, thinking: this.#change(block.thinking) };
      case 'toolCall':
        return { ...block, arguments: this.#object(block.arguments) };
    }
  }

  /** `name`: the key that the value stands under. A string under a secret's name is judged as in `name: "value"`. */
  json(value: JsonValue, name: string): JsonValue {
    if (typeof value === 'string') return this.#named(value, name);
    if (typeof value === 'number')
      return name !== '' && /pass|pwd|pin/i.test(name) && classifyName(name) === 'strong'
        ? this.#named(String(value), name)
        : value;
    if (typeof value !== 'object' || value === null) return value;
    return isList(value) ? value.map((item) => this.json(item, name)) : this.#object(value);
  }

  #object(value: JsonObject): JsonObject {
    const out: Record<string, JsonValue | undefined> = {};
    for (const [key, inner] of Object.entries(value)) {
      Object.defineProperty(out, this.#change(key), {
        value: inner === undefined ? undefined : this.json(inner, key),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return out;
  }

  #named(value: string, name: string): string {
    if (name === '' || value.length > 4096 || value.includes('\n') || classifyName(name) === undefined)
      return this.#change(value);
    const before = JSON.stringify(name).slice(0, 80);
    const quoted = `${before}: ${JSON.stringify(value)}`;
    const changed = this.#change(quoted);
    if (changed === quoted) return this.#change(value);
    try {
      return String(JSON.parse(changed.slice(before.length + 2)));
    } catch (error) {
      // A mark may have taken an escape's half: the value is then the mark alone.
      if (!(error instanceof SyntaxError)) throw error;
      return this.#change(`password="${value.replace(/["\\]/g, '')}"`).slice('password="'.length, -1);
    }
  }
}
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
