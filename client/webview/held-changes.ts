/** What the thread's turns did to files, as this page holds it, with its place among the rows: found anew only when either changed. */
import type { TimelineView } from '../../server/protocol/views.ts';
import type { ThreadChanges } from '../../server/protocol/world.ts';
import type { Row } from './rows.ts';
import { lineOf, noChanges, placeChanges, type PlacedChanges } from './turn-changes.ts';

export class HeldChanges {
  #changes: ThreadChanges | null = null;
  #placed: { readonly of: readonly unknown[]; readonly places: PlacedChanges } = { of: [], places: noChanges };

  take(changes: ThreadChanges): void {
    this.#changes = changes;
  }

  /** null: nothing is known of that thread yet. */
  of(thread: string): ThreadChanges | null {
    return this.#changes?.thread === thread ? this.#changes : null;
  }

  placed(rows: readonly Row[], view: Pick<TimelineView, 'thread' | 'conversation' | 'conversations'>): PlacedChanges {
    const { thread, conversation, conversations } = view;
    const of = [rows, this.#changes, thread.id, conversation, conversations];
    if (of.some((one, index) => one !== this.#placed.of[index]))
      this.#placed = { of, places: placeChanges(rows, this.of(thread.id), lineOf(view)) };
    return this.#placed.places;
  }
}
