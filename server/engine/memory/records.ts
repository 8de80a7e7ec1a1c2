/**
 * Everything of one session in memory (engine specification 7.4): current maps, ordered entries, version histories and the indexes over
 * them, which all hold the same records. Payloads are kept as JSON text, so that no writer and no reader shares an object with them.
 */
import type { Id } from '../records.ts';
import type { Rows, ScratchReads } from '../rows.ts';
import { Conversations } from './conversations.ts';
import { Entries } from './entries.ts';
import { Lists } from './lists.ts';
import { Tasks } from './tasks.ts';
import { Values } from './values.ts';

export class MemoryRecords implements Rows {
  lastSeq: Id = 0;
  version: string;
  readonly conversations = new Conversations();
  entries = new Entries();
  readonly tasks = new Tasks((task) => this.conversations.ownedBy(task));
  readonly values = new Values();
  readonly lists = new Lists();
  readonly scratchValues = new Values();
  readonly scratchLists = new Lists();
  readonly scratch: ScratchReads = {
    value: this.scratchValues.current,
    nextKey: this.scratchValues.nextKey,
    elements: (place, range, limit) => this.scratchLists.elements(place, false, range, limit),
  };

  constructor(version: string) {
    this.version = version;
  }

  get kinds(): Iterable<string> {
    return this.entries.kinds;
  }

  /** What a task's settlement does to its scratch. */
  retire(task: Id): void {
    this.scratchValues.drop(task);
    this.scratchLists.drop(task);
  }
}
