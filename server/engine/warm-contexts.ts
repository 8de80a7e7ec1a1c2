/**
 * The derived contexts of the conversations that were asked for last (engine specification 2.2): every handle of a conversation shares its
 * one, so that each request of a model derives what is new, although every execution has a handle of its own. At most a few
 * are kept, so that they do not grow with the number of conversations; the transcript is the truth.
 */
import { ConversationContext } from './context.ts';
import type { Kinds } from './kinds.ts';
import type { Id } from './records.ts';
import type { Storage } from './storage.ts';
import { end } from './storage.ts';

const most = 16;

export class WarmContexts<Message = unknown> {
  readonly #storage: Storage;
  readonly #kinds: Kinds<Message>;
  /** The one that was asked for last stands last. */
  readonly #kept = new Map<Id, ConversationContext<Message>>();

  constructor(storage: Storage, kinds: Kinds<Message>) {
    this.#storage = storage;
    this.#kinds = kinds;
  }

  /** As of a position. One that is older than what is warm is derived separately and rewinds nothing. */
  at(conversation: Id, through: Id = end): Pick<ConversationContext<Message>, 'entries' | 'messages'> {
    const context = this.#kept.get(conversation) ?? new ConversationContext(this.#storage, this.#kinds, conversation, true);
    if (through < context.through) {
      const earlier = new ConversationContext(this.#storage, this.#kinds, conversation, true);
      earlier.advance(through);
      return earlier;
    }
    context.advance(through);
    this.#kept.delete(conversation);
    this.#kept.set(conversation, context);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    return context;
  }
}
