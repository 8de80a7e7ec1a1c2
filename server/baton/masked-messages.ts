/**
 * Masks and cleans the history that a thread carries into another harness's session, before it is written, whoever writes it: every
 * text, every argument of a call, every detail. A value learnt anywhere is masked everywhere, also before the place that gave it
 * away. Texts lose their control sequences and what hides or turns text; arguments keep everything but what steers a terminal. What
 * pairs calls with results (ids) and image data stay as they are, and so do names of tools and models that are names.
 */
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import type { AssistantBlock, Message, ToolCallBlock, UserBlock } from '../../shuttles/contract/message.ts';
import { cleanText, oneLine, withoutControls } from './clean-text.ts';
import type { Masker } from './mask.ts';
import { createMasker } from './mask.ts';
import { maskedAndClean } from './masked-clean.ts';
import { classifyName } from './secret-names.ts';

export interface MaskedMessages {
  readonly messages: readonly Message[];
  readonly masked: number;
}

export function maskMessages(messages: readonly Message[], salt: string): MaskedMessages {
  const masker = createMasker(salt);
  // Most texts give nothing away: they are looked through once.
  const silent = new Set<string>();
  const learn =
    (clean: (text: string) => string) =>
    (text: string): string => {
      const cleaned = clean(text);
      const found = masker.learn(text) + (cleaned === text ? 0 : masker.learn(cleaned));
      if (found === 0 && cleaned === text) silent.add(text);
      return text;
    };
  const learner = new Walk(learn(cleanText), learn(withoutControls), (text) => void masker.learn(text));
  for (const message of messages) learner.message(message);
  let masked = 0;
  const change =
    (clean: (text: string) => string) =>
    (text: string): string => {
      const result = silent.has(text) ? masker.maskKnown(text) : maskedAndClean(text, masker, clean);
      masked += result.count;
      return result.text;
    };
  const walk = new Walk(change(cleanText), change(withoutControls), () => undefined);
  return { messages: messages.map((message) => walk.message(message)), masked };
}

/** What the arguments of a call give away: each value as what stands behind its name, a list of words as a command. */
export function learnCall({ arguments: given }: ToolCallBlock, masker: Pick<Masker, 'learn'>): void {
  const learn = (text: string): string => {
    masker.learn(text);
    return text;
  };
  new Walk(learn, learn, learn).json(given, '');
}

/** Goes through messages and changes every text in them: what is to be read by one function, what is exact data by the other. */
class Walk {
  readonly #change: (text: string) => string;
  readonly #exact: (text: string) => string;
  readonly #hear: (text: string) => void;

  /** `hear`: a command that was given as a list of its words. */
  constructor(change: (text: string) => string, exact: (text: string) => string, hear: (text: string) => void) {
    this.#change = change;
    this.#exact = exact;
    this.#hear = hear;
  }

  message(message: Message): Message {
    switch (message.role) {
      case 'system':
        return { ...message, content: message.content.map((block) => ({ ...block, text: this.#change(block.text) })) };
      case 'user':
        return { ...message, content: message.content.map((block) => this.#userBlock(block)) };
      case 'assistant':
        return {
          ...message,
          content: message.content.map((block) => this.#assistantBlock(block)),
          ...(message.model === undefined ? {} : { model: this.#name(message.model) }),
          ...(message.provider === undefined ? {} : { provider: this.#name(message.provider) }),
        };
      case 'toolResult': {
        const content = message.content.map((block) => this.#userBlock(block));
        const { toolName, details } = message;
        const rest = { ...message, content, toolName: this.#name(toolName) };
        return details === undefined ? rest : { ...rest, details: this.json(details, '') };
      }
    }
  }

  #userBlock(block: UserBlock): UserBlock {
    if (block.type === 'text') return { ...block, text: this.#change(block.text) };
    return block.url === undefined || block.url.startsWith('data:') ? block : { ...block, url: this.#exact(block.url) };
  }

  #assistantBlock(block: AssistantBlock): AssistantBlock {
    switch (block.type) {
      case 'text':
      case 'image':
        return this.#userBlock(block);
      case 'thinking':
        return { ...block, thinking: this.#change(block.thinking) };
      case 'toolCall':
        return { ...block, name: this.#name(block.name), arguments: this.#object(block.arguments) };
    }
  }

  /** Each part by itself: a secret that is joined to other words by underlines stands for itself nowhere. */
  #name(name: string): string {
    if (name.length <= 24 && /^[\w.:/@ -]*$/.test(name)) return name;
    const parts = name.split('__').map((part) => this.#change(part));
    return oneLine(this.#change(parts.join('__')));
  }

  /** `name`: the key that the value stands under. A string under a secret's name is judged as in `name: "value"`. */
  json(value: JsonValue, name: string): JsonValue {
    if (typeof value === 'string') return this.#named(value, name);
    if (typeof value === 'number')
      return name !== '' && /pass|pwd|pin/i.test(name) && classifyName(name) === 'strong'
        ? this.#named(String(value), name)
        : value;
    if (typeof value !== 'object' || value === null) return value;
    return isList(value) ? this.#list(value, name) : this.#object(value);
  }

  #list(list: readonly JsonValue[], name: string): readonly JsonValue[] {
    if (list.length > 1 && list.length <= 64 && list.every((item) => typeof item === 'string')) this.#hear(list.join(' '));
    const out = list.map((item, index) => {
      const before = list[index - 1];
      const flag = typeof before === 'string' && before.length <= 64 ? /^--?([A-Za-z][\w-]*)$/.exec(before)?.[1] : undefined;
      return this.json(item, flag ?? name);
    });
    return out.every((item, index) => item === list[index]) ? list : out;
  }

  /** The object itself when nothing in it changes. */
  #object(value: JsonObject): JsonObject {
    const out: [string, JsonValue | undefined][] = [];
    let isChanged = false;
    // `{ name: "DB_PASSWORD", value: "…" }`
    const { name = value['key'] } = value;
    for (const key of Object.keys(value)) {
      const inner = value[key];
      const stands = key === 'value' && typeof name === 'string' ? name : key;
      const made = this.#exact(key);
      const changed = inner === undefined ? undefined : this.json(inner, stands);
      isChanged ||= made !== key || changed !== inner;
      out.push([made, changed]);
    }
    return isChanged ? Object.fromEntries(out) : value;
  }

  /** What has no shape as a whole is judged line by line; what is masked by now stays as it is. */
  #namedLines(value: string, name: string): string {
    if (classifyName(name) !== 'strong') return value;
    return value
      .split('\n')
      .map((line) => (line.includes('«') ? line : this.#named(line, name)))
      .join('\n');
  }

  #named(value: string, name: string): string {
    if (name === '' || value.length > 4096 || classifyName(name) === undefined) return this.#exact(value);
    if (value.includes('\n')) return this.#namedLines(this.#exact(value), name);
    const before = JSON.stringify(name).slice(0, 80);
    const quoted = `${before}: ${JSON.stringify(value)}`;
    const changed = this.#exact(quoted);
    if (changed === quoted) return this.#exact(value);
    try {
      return String(JSON.parse(changed.slice(before.length + 2)));
    } catch (error) {
      // A mark may have taken an escape's half: the value is then the mark alone.
      if (!(error instanceof SyntaxError)) throw error;
      return this.#exact(`password="${value.replace(/["\\]/g, '')}"`).slice('password="'.length, -1);
    }
  }
}
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
