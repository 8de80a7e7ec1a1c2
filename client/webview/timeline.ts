/**
 * The timeline element: draws head, find, list and the way to the newest line over what held-timeline.ts holds. It asks its
 * panel for everything (older pages, whole entries, search) and changes nothing itself.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { TimelineView } from '../../server/protocol/views.ts';
import { counted, grouped } from '../amounts.ts';
import { forksByEntry } from './branches.ts';
import type { Drawing } from './drawing.ts';
import { filterNames, type FilterName } from './filters.ts';
import { drawFindBar } from './find-bar.ts';
import { answered, noFind, sought, stepped, type Find } from './find.ts';
import { drawHeader } from './header.ts';
import { HeldTimeline } from './held-timeline.ts';
import { highlight } from './highlights.ts';
import type { Host } from './host.ts';
import { keyAction } from './keys.ts';
import { RowList } from './list.ts';
import type { HostMessage } from './messages.ts';
import { indexOf } from './row-index.ts';
import { drawRow } from './row.ts';
import type { Row } from './rows.ts';
import { HeldChanges } from './held-changes.ts';

/** Entries a page: while scrolling, and on the way to a place far up. */
const page = 500;
const bigPage = 2000;

export class Timeline extends LitElement {
  readonly #host: Host;
  readonly #list: RowList;
  readonly #held = new HeldTimeline();
  readonly #changes = new HeldChanges();
  readonly #open = new Set<string>();
  #find: Find | null = null;
  #findTimer = 0;
  #trouble = '';
  #loading = false;
  /** How many earlier entries were left when a page was asked for, and when a page brought nothing: it is not asked for again by itself. */
  #askedAt = -1;
  #stuckAt = -1;
  /** What older pages are being loaded for: the very start, or an entry to be shown. */
  #seeking: 'start' | number | null = null;
  /** Rows that came in below what is being read. */
  #unseen = 0;
  #announced = '';
  #announceTimer = 0;
  #active: { readonly key: string; readonly entry: number } | null = null;

  constructor(host: Host) {
    super();
    this.#host = host;
    this.#list = new RowList();
    this.#list.className = 'list';
    this.#list.tabIndex = -1;
    this.#list.onNearStart = () => {
      this.#loadOlder(page);
    };
    this.#list.onStick = (atEnd) => {
      if (atEnd) this.#unseen = 0;
      this.requestUpdate();
    };
    this.#list.addEventListener('click', (event) => {
      this.#takeClick(event);
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#host.listen((message) => {
      this.#take(message);
    });
    window.addEventListener('keydown', (event) => {
      this.#takeKey(event);
    });
    this.#host.send({ type: 'ready', tail: 0 });
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    const { view } = this.#held;
    if (view === null) {
      return html`${this.#troubleBar()}
        <p class="opening">${this.#trouble === '' ? 'Opening the thread…' : ''}</p>`;
    }
    this.#fillList(view);
    const header = drawHeader({
      thread: view.thread,
      conversations: view.conversations,
      conversation: view.conversation,
      filters: this.#held.filters,
      finding: this.#find !== null,
      changes: this.#changes.of(view.thread.id),
      send: this.#host.send,
      toggleFilter: (name) => {
        this.#toggleFilter(name);
      },
      openFind: () => {
        this.#toggleFind();
      },
    });
    return html`${header}${this.#findBar()}${this.#troubleBar()}
      <div class="stage">${this.#list}${this.#latest()}</div>
      <div class="announcer" role="status" aria-live="polite">${this.#announced}</div>`;
  }

  protected override updated(): void {
    void this.#mark();
  }

  #fillList(view: TimelineView): void {
    const drawing = this.#drawing(view);
    const { rows } = drawing;
    const size = view.older > 0 ? -1 : rows.length;
    this.#list.rows = rows;
    this.#list.draw = (row, index) => drawRow(drawing, row, { index, size, active: this.#active?.key === row.key });
    this.#list.above = this.#above(view);
    this.#list.empty = html`<p class="opening">
      ${this.#held.filters.size > 0 ? 'Nothing of this kind here.' : 'Nothing was said yet.'}
    </p>`;
  }

  #drawing(view: TimelineView): Drawing {
    return {
      rows: this.#held.rows,
      thread: view.thread,
      conversation: view.conversation,
      conversations: view.conversations,
      changes: this.#changes.placed(this.#held.rows, view),
      forks: forksByEntry(view.conversations, view.conversation),
      isOpen: (row, part = '') => this.#open.has(`${row.key}/${part}`),
      toggle: (row, part = '') => {
        const key = `${row.key}/${part}`;
        if (!this.#open.delete(key)) this.#open.add(key);
        this.#active = { key: row.key, entry: row.entries[0]?.id ?? 0 };
        this.#list.hold();
        this.requestUpdate();
      },
      send: this.#host.send,
    };
  }

  #above(view: TimelineView): TemplateResult {
    if (view.older === 0) return html`<p class="beginning">${this.#held.rows.length === 0 ? '' : 'The thread begins here.'}</p>`;
    const words = this.#loading ? 'Reading earlier lines…' : `${grouped(view.older)} earlier`;
    return html`<p class="beginning">
      <button type="button" class="rest" @click=${() => this.#askAgain()}>${words}</button>
    </p>`;
  }

  #latest(): TemplateResult | typeof nothing {
    if (this.#list.atEnd) return nothing;
    const words = this.#unseen > 0 ? `${grouped(this.#unseen)} new · jump to latest` : 'Jump to latest';
    return html`<button type="button" class="latest ${this.#unseen > 0 ? 'fresh' : ''}" @click=${() => this.#list.scrollToEnd()}>
      <span aria-hidden="true">↓</span> ${words}
    </button>`;
  }

  #findBar(): TemplateResult | typeof nothing {
    if (this.#find === null) return nothing;
    return drawFindBar({
      find: this.#find,
      ask: (words) => {
        this.#ask(words);
      },
      step: (step) => {
        this.#step(step);
      },
      close: () => {
        this.#toggleFind();
      },
    });
  }

  #troubleBar(): TemplateResult | typeof nothing {
    return this.#trouble === '' ? nothing : html`<div class="trouble" role="alert">${this.#trouble}</div>`;
  }

  #take(message: HostMessage): void {
    switch (message.type) {
      case 'view':
        this.#takeView(message.view, message.fresh);
        this.#host.keep({
          thread: message.view.thread.id,
          conversation: message.following,
          title: message.view.thread.title.slice(0, 200),
        });
        break;
      case 'events':
        this.#tellOf(this.#held.takeEvents(message.events));
        break;
      case 'olderDone':
        this.#loading = false;
        this.#stuckAt = this.#older === this.#askedAt ? this.#older : -1;
        this.#seekOn();
        break;
      case 'entry':
        this.#held.replace(message.entry);
        break;
      case 'found': {
        if (this.#find === null) break;
        const first = this.#held.rows[this.#list.firstVisible()]?.entries[0]?.id ?? 0;
        this.#find = answered(this.#find, message.words, message.hits, message.hint, first);
        this.#revealHit();
        break;
      }
      case 'reveal':
        this.#seek(message.entry);
        break;
      case 'changes':
        this.#changes.take(message.changes);
        break;
      case 'trouble':
        this.#trouble = message.text;
        break;
    }
    this.requestUpdate();
  }

  /** A fresh view begins at its end; any other one keeps the place. */
  #takeView(view: TimelineView, fresh: boolean): void {
    this.#held.take(view);
    this.#loading = false;
    this.#stuckAt = -1;
    if (!fresh) return;
    this.#list.reset();
    this.#active = null;
    this.#unseen = 0;
    this.#seeking = null;
  }

  /** Once for what comes in a moment, and not for every line. */
  #tellOf(rows: number): void {
    if (rows === 0) return;
    if (!this.#list.atEnd) this.#unseen += rows;
    window.clearTimeout(this.#announceTimer);
    this.#announceTimer = window.setTimeout(() => {
      this.#announced = this.#list.atEnd ? 'New lines in the transcript' : `${counted(this.#unseen, 'new line')} below`;
      this.requestUpdate();
    }, 1500);
  }

  /** The list scrolls without this element drawing anew, so that marks are made again for what comes into view. */
  async #mark(): Promise<void> {
    await this.#list.updateComplete;
    highlight(this.#list, this.#find === null ? [] : sought(this.#find.words));
  }

  #toggleFind(): void {
    this.#find = this.#find === null ? noFind : null;
    this.requestUpdate();
    if (this.#find === null) this.#list.focus({ preventScroll: true });
    else void this.updateComplete.then(() => this.#findField()?.select());
  }

  #findField(): HTMLInputElement | null {
    return this.querySelector<HTMLInputElement>('.find input');
  }

  #ask(words: string): void {
    this.#find = { ...noFind, words };
    window.clearTimeout(this.#findTimer);
    if (words.trim() !== '') {
      this.#findTimer = window.setTimeout(() => {
        this.#host.send({ type: 'find', words });
      }, 150);
    }
    this.requestUpdate();
  }

  #step(step: 1 | -1): void {
    if (this.#find === null) return;
    this.#find = stepped(this.#find, step);
    this.#revealHit();
    this.requestUpdate();
  }

  #revealHit(): void {
    const hit = this.#find?.hits?.[this.#find.at];
    if (hit !== undefined) this.#seek(hit.entry);
  }

  #toggleFilter(name: FilterName): void {
    const at = this.#held.rows[this.#list.firstVisible()];
    const { atEnd } = this.#list;
    const { filters } = this.#held;
    this.#held.setFilters(new Set(filterNames.filter((one) => filters.has(one) !== (one === name))));
    this.requestUpdate();
    if (at !== undefined && !atEnd)
      this.#list.reveal(indexOf(this.#held.rows, { key: at.key, entry: at.entries[0]?.id ?? 0 }), 'start');
  }

  /** How many earlier entries are not held. */
  get #older(): number {
    return this.#held.view?.older ?? 0;
  }

  #loadOlder(limit: number): void {
    if (this.#loading || this.#older === 0 || this.#older === this.#stuckAt) return;
    this.#loading = true;
    this.#askedAt = this.#older;
    this.#host.send({ type: 'older', limit });
    this.requestUpdate();
  }

  #askAgain(): void {
    this.#stuckAt = -1;
    this.#loadOlder(page);
  }

  /** Loads as far back as needed, then shows it. */
  #seek(target: 'start' | number): void {
    this.#seeking = target;
    this.#seekOn();
  }

  #seekOn(): void {
    const target = this.#seeking;
    if (target === null || this.#loading) return;
    if (!this.#held.reaches(target) && this.#older !== this.#stuckAt) {
      this.#loadOlder(bigPage);
      return;
    }
    this.#seeking = null;
    if (target === 'start') this.#activate(0, 'start');
    else this.#showEntry(target);
  }

  #showEntry(entry: number): void {
    const holds = (row: Row): boolean => row.entries.some((one) => one.id === entry);
    if (this.#held.filters.size > 0 && !this.#held.rows.some(holds)) this.#held.setFilters(new Set());
    const { rows } = this.#held;
    const index = rows.findIndex(holds);
    const row = rows[index];
    // What was found may stand in a fold.
    const folds = row?.kind === 'tool' || row?.kind === 'thinking' || row?.kind === 'aside';
    if (row !== undefined && folds && this.#find !== null) this.#open.add(`${row.key}/`);
    this.#activate(index < 0 ? indexOf(rows, { key: '', entry }) : index, 'center');
  }

  #activate(index: number, block: 'start' | 'center' | 'nearest'): void {
    const row = this.#held.rows[index];
    if (row === undefined) return;
    this.#active = { key: row.key, entry: row.entries[0]?.id ?? 0 };
    this.requestUpdate();
    void this.#bringIntoView(index, block);
  }

  async #bringIntoView(index: number, block: 'start' | 'center' | 'nearest'): Promise<void> {
    await this.updateComplete;
    this.#list.reveal(index, block);
    await this.#list.updateComplete;
    const inField = document.activeElement instanceof HTMLInputElement;
    if (!inField) this.#list.element(index)?.focus({ preventScroll: true });
  }

  #move(step: 1 | -1, stops: (row: Row) => boolean): void {
    const { rows } = this.#held;
    let index = this.#active === null ? this.#list.firstVisible() - (step === 1 ? 1 : 0) : indexOf(rows, this.#active);
    let row: Row | undefined;
    do {
      index += step;
      row = rows[index];
    } while (row !== undefined && !stops(row));
    if (row !== undefined) this.#activate(index, 'nearest');
    else if (step === -1) this.#loadOlder(page);
    else this.#list.scrollToEnd();
  }

  #takeKey(event: KeyboardEvent): void {
    const action = keyAction(event);
    if (action === null || this.#held.view === null) return;
    event.preventDefault();
    switch (action) {
      case 'down':
        return this.#move(1, () => true);
      case 'up':
        return this.#move(-1, () => true);
      case 'nextPrompt':
        return this.#move(1, (row) => row.kind === 'prompt');
      case 'previousPrompt':
        return this.#move(-1, (row) => row.kind === 'prompt');
      case 'start':
        return this.#seek('start');
      case 'end':
        this.#active = null;
        return this.#list.scrollToEnd();
      case 'find':
        if (this.#find === null) this.#toggleFind();
        else this.#findField()?.select();
        return;
      case 'closeFind':
        if (this.#find !== null) this.#toggleFind();
        return;
      case 'fold': {
        const index = this.#active === null ? -1 : indexOf(this.#held.rows, this.#active);
        this.#list.element(index)?.querySelector<HTMLButtonElement>('.fold')?.click();
        return;
      }
    }
  }

  /** Links and copy buttons inside rendered Markdown, which cannot have listeners of their own. */
  #takeClick(event: MouseEvent): void {
    const from =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-href], [data-path], [data-copy]') : null;
    if (from === null) return;
    const { href, path, line, copy } = from.dataset;
    if (href !== undefined) this.#host.send({ type: 'openLink', url: href });
    else if (path !== undefined)
      this.#host.send({ type: 'openFile', path, line: line === undefined || line === '' ? null : Number(line) });
    else if (copy !== undefined)
      this.#host.send({ type: 'copy', text: from.parentElement?.querySelector('code')?.textContent ?? '' });
  }
}
