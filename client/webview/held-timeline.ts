/**
 * The timeline as this page holds it: the view, its entries as rows, and the filters over them. Views and events are
 * folded in as they come. A new view of what is held keeps the older pages, so that nobody who reads up there is moved;
 * the server may then send pages again that are held already, which changes only the count of what is left.
 */
import { applyEvent, type ViewEvent } from '../../server/protocol/events.ts';
import type { EntryView, TimelineView } from '../../server/protocol/views.ts';
import { keeps, type FilterName } from './filters.ts';
import type { Row } from './rows.ts';
import { Transcript } from './transcript.ts';

export class HeldTimeline {
  #view: TimelineView | null = null;
  /** As they came, oldest first; the transcript holds them as rows. */
  #entries: readonly EntryView[] = [];
  #transcript = new Transcript();
  #filters: ReadonlySet<FilterName> = new Set();
  #kept: { readonly of: readonly Row[]; readonly rows: readonly Row[] } = { of: [], rows: [] };

  /** Without its entries: they are in `rows`. `older` counts what is not held. null: nothing was there yet. */
  get view(): TimelineView | null {
    return this.#view;
  }

  /** The rows that the filters keep; the same list as long as nothing changed. */
  get rows(): readonly Row[] {
    const { rows } = this.#transcript;
    if (this.#kept.of !== rows) {
      const kept = this.#filters.size === 0 ? rows : rows.filter((row) => keeps(this.#filters, row));
      this.#kept = { of: rows, rows: kept };
    }
    return this.#kept.rows;
  }

  get filters(): ReadonlySet<FilterName> {
    return this.#filters;
  }

  setFilters(filters: ReadonlySet<FilterName>): void {
    this.#filters = filters;
    this.#kept = { of: [], rows: [] };
  }

  /** Does it reach back to this entry, or to the very start? */
  reaches(target: 'start' | number): boolean {
    const first = this.#transcript.first;
    return (this.#view?.older ?? 0) === 0 || (target !== 'start' && first !== null && first <= target);
  }

  take(view: TimelineView): void {
    const first = view.entries[0]?.id;
    const same = this.#view?.conversation === view.conversation && this.#view.thread.id === view.thread.id;
    const kept = same && first !== undefined ? this.#entries.filter((entry) => entry.id < first) : [];
    this.#entries = [...kept, ...view.entries];
    this.#transcript = new Transcript();
    this.#transcript.append(this.#entries);
    this.#view = { ...view, entries: [], older: Math.max(0, view.older - kept.length) };
  }

  /** Returns how many rows, of those that the filters keep, came in at the end. */
  takeEvents(events: readonly ViewEvent[]): number {
    const before = this.rows.length;
    let replaced = false;
    const added: EntryView[] = [];
    for (const event of events) {
      if (this.#view === null) return 0;
      if (event.type === 'entry') added.push(event.entry);
      else if (event.type === 'older') {
        this.#takeOlder(event.entries, event.older);
        replaced = true;
      } else if (event.type === 'snapshot') {
        if (event.view.kind === 'timeline') this.take(event.view);
        replaced = true;
      } else {
        const next = applyEvent(this.#view, event);
        if (next.kind === 'timeline') this.#view = next;
      }
    }
    const start = replaced ? this.rows.length : before;
    this.#append(added);
    return Math.max(0, this.rows.length - start);
  }

  /** The whole of an entry in the place of its clipped one. */
  replace(entry: EntryView): void {
    this.#transcript.replace(entry);
    this.#entries = this.#entries.map((one) => (one.id === entry.id ? entry : one));
  }

  #append(entries: readonly EntryView[]): void {
    const last = this.#transcript.last ?? -1;
    const fresh = entries.filter((entry) => entry.id > last);
    if (fresh.length === 0) return;
    this.#transcript.append(fresh);
    this.#entries = [...this.#entries, ...fresh];
  }

  #takeOlder(entries: readonly EntryView[], older: number): void {
    if (this.#view === null) return;
    const start = entries[0]?.id;
    const first = this.#entries[0]?.id ?? Number.POSITIVE_INFINITY;
    const held =
      start === undefined
        ? 0
        : Math.max(
            0,
            this.#entries.findIndex((entry) => entry.id >= start),
          );
    this.#view = { ...this.#view, older: Math.max(0, older - held) };
    if (start === undefined) return;
    this.#transcript.prepend(entries);
    this.#entries = [...entries.filter((entry) => entry.id < first), ...this.#entries];
  }
}
