/**
 * The newest live foreground task of each conversation, as far as this process has seen it made: what a drive that goes on waiting waits for
 * next, without asking the storage. Knowing of none says nothing. Work usually makes its successor in the commit that ends it.
 */
import type { Id, Task } from './records.ts';
import type { Scope } from './scope.ts';

export class NewestLive {
  readonly #newest = new Map<Id, Id>();
  /** The other way round. */
  readonly #conversations = new Map<Id, Id>();

  created({ id, conversationId, background }: Omit<Task, 'state'>): void {
    if (background === true) return;
    const before = this.#newest.get(conversationId);
    if (before !== undefined) this.#conversations.delete(before);
    this.#newest.set(conversationId, id);
    this.#conversations.set(id, conversationId);
  }

  settled(id: Id): void {
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) return;
    this.#conversations.delete(id);
    this.#newest.delete(conversation);
  }

  /** A live task that keeps a drive of that scope from being idle. */
  in(scope: Scope): Id | undefined {
    if ('conversation' in scope) return this.#newest.get(scope.conversation);
    const [any] = this.#newest.values();
    return any;
  }
}
