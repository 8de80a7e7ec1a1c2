/** A session of the test agent in any backend, and what tests ask of it. */
import type { Message } from '../built-in/messages.ts';
import type { ConversationHandle } from '../conversation.ts';
import { Engine } from '../engine.ts';
import type { EngineOptions } from '../engine.ts';
import type { Storage } from '../storage.ts';
import { agent, textOf } from './agent-kinds.ts';
import type { AgentReply, AgentRequest, AgentScript } from './agent-kinds.ts';
import { backends } from './backends.ts';
import type { Backend, TestSession } from './backends.ts';

type OnFinished = (dispose: () => void | Promise<void>) => void;

export class AgentSession {
  readonly #session: TestSession;
  readonly #script: AgentScript;
  readonly #engines: Engine<Message>[] = [];

  constructor(onFinished: OnFinished, script: AgentScript, backend: Backend = sqlite()) {
    this.#session = backend.open(onFinished);
    this.#script = script;
    onFinished(async () => this.#close());
  }

  get storage(): Storage {
    return this.#session.storage;
  }

  async open(storage = this.#session.storage, options: Partial<EngineOptions<Message>> = {}): Promise<Engine<Message>> {
    const engine = await Engine.open(storage, { ...agent(this.#script), ...options });
    this.#engines.push(engine);
    return engine;
  }

  /** As another process does: closing has written no outcomes. */
  async reopen(options: Partial<EngineOptions<Message>> = {}): Promise<Engine<Message>> {
    await this.#close();
    return this.open(await this.#session.reopen(), options);
  }

  async #close(): Promise<void> {
    for (const engine of this.#engines.splice(0)) await engine.close();
  }
}

/** Calls that wait until a test lets them go on, in the order of their coming. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  readonly #arrivals: (() => void)[] = [];
  #arrived = 0;

  async pass(signal: AbortSignal): Promise<void> {
    this.#arrived++;
    for (const tell of this.#arrivals.splice(0)) tell();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    await promise;
    signal.removeEventListener('abort', abort);
  }

  /** Resolves when that many have come, since the beginning. */
  async arrived(count: number): Promise<void> {
    while (this.#arrived < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  open(): void {
    this.#waiting.shift()?.();
  }
}

/** Answers with what the last user message says, behind 'to '. */
export function echo({ messages }: AgentRequest): AgentReply {
  return `to ${textOf(messages.findLast((message) => message.role === 'user'))}`;
}

/** The transcript as 'kind: text' lines, results and calls by their text alone. */
export function transcript(conversation: ConversationHandle<Message> | ConversationHandle): readonly string[] {
  return conversation.entries({ limit: 1000 }).items.map((entry) => `${entry.kind}: ${textOf(entry)}`);
}

function sqlite(): Backend {
  const found = backends.find(({ name }) => name === 'sqlite');
  if (found === undefined) throw new Error('no SQLite backend is registered');
  return found;
}
