/**
 * An entry whose content is only taken apart when somebody looks at it. One getter for all of them: with an accessor of its own each would
 * be a dictionary, of five times the size.
 */
import { stored } from './kinds.ts';
import type { Entry, Id, Json } from './records.ts';

/** What gives the content when it is asked for it; the same each time. */
export interface LateContent<Content = unknown> {
  readonly content: Content;
}

export class LateEntry implements Entry {
  readonly id: Id;
  readonly conversationId: Id;
  readonly kind: string;
  declare readonly key?: string;
  declare readonly head?: true;
  readonly #late: LateContent;

  constructor(id: Id, conversationId: Id, kind: string, late: LateContent, key: string | undefined, isHead: boolean) {
    this.id = id;
    this.conversationId = conversationId;
    this.kind = kind;
    if (key !== undefined) this.key = key;
    if (isHead) this.head = true;
    this.#late = late;
  }

  get content(): Json {
    return stored(this.#late.content);
  }
}
