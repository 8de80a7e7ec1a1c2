/**
 * The timeline element: holds the transcript, folds events into it, and draws head, find, list and the way to the newest
 * line. It asks its panel for everything (older pages, whole entries, search) and changes nothing itself.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { applyEvent, type ViewEvent } from '../../server/protocol/events.ts';
import type { EntryView, TimelineView } from '../../server/protocol/views.ts';
import { counted, grouped } from '../amounts.ts';
import { forksByEntry } from './branches.ts';
import type { Drawing } from './drawing.ts';
import { filterNames, keeps, type FilterName } from './filters.ts';
import { answered, findWords, noFind, sought, stepped, type Find } from './find.ts';
import { drawHeader } from './header.ts';
import { highlight } from './highlights.ts';
import type { Host } from './host.ts';
import { keyAction } from './keys.ts';
import { RowList } from './list.ts';
import type { HostMessage } from './messages.ts';
import { drawRow } from './row.ts';
import { indexOf } from './row-index.ts';
import type { Row } from './rows.ts';
import { Transcript } from './transcript.ts';

const page = 500;
const bigPage = 5000;

export class Timeline extends LitElement {
  readonly #host: Host;
  readonly #list: RowList;
  /** Without its entries, which the transcript holds. */
  #view: TimelineView | null = null;
  #following: number | null = null;
  /** As they came, oldest first; the transcript holds them as rows. */
  #entries: readonly EntryView[] = [];
  #transcript = new Transcript();
  #visible: { readonly of: readonly Row[]; readonly rows: readonly Row[] } = { of: [], rows: [] };
  #filters: ReadonlySet<FilterName> = new Set();
  readonly #open = new Map<string, boolean>();
  #find: Find | null = null;
  #findTimer = 0;
  #trouble = '';
  #loading = false;
  /** What older pages are being loaded for: the very start, or an entry to be shown. */
  #seeking: 'start' | number | null = null;
  #fresh = 0;
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
      if (atEnd) this.#fresh = 0;
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
    const view = this.#view;
    if (view === null)
      return html`${this.#troubleBar()}
        <p class="opening">${this.#trouble === '' ? 'Opening the thread…' : ''}</p>`;
    const drawing = this.#drawing(view);
    const { rows } = drawing;
    const size = view.older > 0 ? -1 : rows.length;
    this.#list.rows = rows;
    this.#list.draw = (row, index) => drawRow(drawing, row, { index, size, active: this.#active?.key === row.key });
    this.#list.above = this.#above(view);
    this.#list.empty = html`<p class="opening">
      ${this.#filters.size > 0 ? 'Nothing of this kind here.' : 'Nothing was said yet.'}
    </p>`;
    return html`${drawHeader({
        thread: view.thread,
        conversations: view.conversations,
        conversation: view.conversation,
        filters: this.#filters,
        finding: this.#find !== null,
        send: this.#host.send,
        toggleFilter: (name) => {
          this.#toggleFilter(name);
        },
        openFind: () => {
          this.#toggleFind();
        },
      })}${this.#find === null ? nothing : this.#findBar(this.#find)}${this.#troubleBar()}
      <div class="stage">${this.#list}${this.#latest()}</div>
      <div class="announcer" role="status" aria-live="polite">${this.#announced}</div>`;
  }

  protected override updated(): void {
    void this.#mark();
  }

  #take(message: HostMessage): void {
    switch (message.type) {
      case 'view':
        this.#following = message.following;
        this.#takeView(message.view, message.fresh);
        break;
      case 'events':
        this.#takeEvents(message.events);
        break;
      case 'olderDone':
        this.#loading = false;
        this.#seekOn();
        break;
      case 'entry':
        this.#transcript.replace(message.entry);
        break;
      case 'found': {
        if (this.#find === null) break;
        const first = this.#rows[this.#list.firstVisible()]?.entries[0]?.id ?? 0;
        this.#find = answered(this.#find, message.words, message.hits, message.hint, first);
        this.#revealHit();
        break;
      }
      case 'reveal':
        this.#seek(message.entry);
        break;
      case 'trouble':
        this.#trouble = message.text;
        break;
    }
    this.requestUpdate();
  }

  /** A new view of what is shown already keeps the older pages and the place; a fresh one begins at its end. */
  #takeView(view: TimelineView, fresh: boolean): void {
    const first = view.entries[0]?.id;
    const same = this.#view?.conversation === view.conversation && this.#view.thread.id === view.thread.id;
    const kept = same && first !== undefined ? this.#entries.filter((entry) => entry.id < first) : [];
    if (fresh) {
      this.#list.reset();
      this.#active = null;
      this.#fresh = 0;
      this.#seeking = null;
    }
    this.#entries = [...kept, ...view.entries];
    this.#transcript = new Transcript();
    this.#transcript.append(this.#entries);
    this.#loading = false;
    this.#view = { ...view, entries: [], older: Math.max(0, view.older - kept.length) };
    this.#host.keep({ thread: view.thread.id, conversation: this.#following, title: view.thread.title.slice(0, 200) });
  }

  #takeEvents(events: readonly ViewEvent[]): void {
    const added: EntryView[] = [];
    for (const event of events) {
      if (this.#view === null) return;
      if (event.type === 'entry') added.push(event.entry);
      else if (event.type === 'snapshot') {
        if (event.view.kind === 'timeline') this.#takeView(event.view, false);
      } else if (event.type === 'older') {
        this.#takeOlder(event.entries, event.older);
      } else {
        const next = applyEvent(this.#view, event);
        if (next.kind === 'timeline') this.#view = next;
      }
    }
    if (added.length > 0) this.#takeAdded(added);
  }

  /** After a new view the panel may send pages that are held already: then only the count of what is left is news. */
  #takeOlder(entries: readonly EntryView[], older: number): void {
    const start = entries[0]?.id;
    if (this.#view === null || start === undefined) return;
    const held = this.#entries.findIndex((entry) => entry.id >= start);
    const first = this.#entries[0]?.id ?? Number.POSITIVE_INFINITY;
    this.#view = { ...this.#view, older: Math.max(0, older - Math.max(0, held)) };
    this.#transcript.prepend(entries);
    this.#entries = [...entries.filter((entry) => entry.id < first), ...this.#entries];
  }

  #takeAdded(entries: readonly EntryView[]): void {
    const before = this.#rows.length;
    const last = this.#transcript.last ?? -1;
    this.#transcript.append(entries);
    this.#entries = [...this.#entries, ...entries.filter((entry) => entry.id > last)];
    const more = Math.max(0, this.#rows.length - before);
    if (!this.#list.atEnd) this.#fresh += more;
    if (more === 0) return;
    window.clearTimeout(this.#announceTimer);
    this.#announceTimer = window.setTimeout(() => {
      this.#announced = this.#list.atEnd ? 'New lines in the transcript' : `${counted(this.#fresh, 'new line')} below`;
      this.requestUpdate();
    }, 1500);
  }

  /** The rows that the filters keep; the same list as long as nothing changed. */
  get #rows(): readonly Row[] {
    const { rows } = this.#transcript;
    if (this.#visible.of !== rows) {
      this.#visible = { of: rows, rows: this.#filters.size === 0 ? rows : rows.filter((row) => keeps(this.#filters, row)) };
    }
    return this.#visible.rows;
  }

  #drawing(view: TimelineView): Drawing {
    return {
      rows: this.#rows,
      thread: view.thread,
      conversation: view.conversation,
      conversations: view.conversations,
      forks: forksByEntry(view.conversations, view.conversation),
      isOpen: (row, part = '') => this.#open.get(`${row.key}/${part}`) === true,
      toggle: (row, part = '') => {
        const key = `${row.key}/${part}`;
        this.#open.set(key, this.#open.get(key) !== true);
        this.#active = { key: row.key, entry: row.entries[0]?.id ?? 0 };
        this.#list.hold();
        this.requestUpdate();
      },
      send: this.#host.send,
    };
  }

  #above(view: TimelineView): TemplateResult {
    if (view.older === 0) return html`<p class="beginning">${this.#rows.length === 0 ? '' : 'The thread begins here.'}</p>`;
    const words = this.#loading ? 'Reading earlier lines…' : `${grouped(view.older)} earlier`;
    return html`<p class="beginning">
      <button type="button" class="rest" @click=${() => this.#loadOlder(page)}>${words}</button>
    </p>`;
  }

  #latest(): TemplateResult | typeof nothing {
    if (this.#list.atEnd) return nothing;
    const words = this.#fresh > 0 ? `${grouped(this.#fresh)} new · jump to latest` : 'Jump to latest';
    return html`<button type="button" class="latest ${this.#fresh > 0 ? 'fresh' : ''}" @click=${() => this.#list.scrollToEnd()}>
      <span aria-hidden="true">↓</span> ${words}
    </button>`;
  }

  #troubleBar(): TemplateResult | typeof nothing {
    return this.#trouble === '' ? nothing : html`<div class="trouble" role="alert">${this.#trouble}</div>`;
  }

  #findBar(find: Find): TemplateResult {
    const input = (event: Event): void => {
      if (event.target instanceof HTMLInputElement) this.#ask(event.target.value);
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') this.#toggleFind();
      else if (event.key === 'Enter') this.#step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
    };
    return html`<div class="find" role="search">
      <input
        type="search"
        aria-label="Find in thread"
        placeholder="Find in thread"
        .value=${find.words}
        @input=${input}
        @keydown=${key}
      />
      <span class="quiet" role="status">${findWords(find)}</span>
      <button type="button" aria-label="Previous match" @click=${() => this.#step(-1)}>↑</button>
      <button type="button" aria-label="Next match" @click=${() => this.#step(1)}>↓</button>
      <button type="button" aria-label="Close find" @click=${() => this.#toggleFind()}>✕</button>
    </div>`;
  }

  #toggleFind(): void {
    this.#find = this.#find === null ? noFind : null;
    this.requestUpdate();
    if (this.#find === null) this.#list.focus({ preventScroll: true });
    else void this.updateComplete.then(() => this.querySelector<HTMLInputElement>('.find input')?.select());
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
    const at = this.#rows[this.#list.firstVisible()];
    const { atEnd } = this.#list;
    this.#setFilters(new Set(filterNames.filter((one) => this.#filters.has(one) !== (one === name))));
    if (at !== undefined && !atEnd)
      this.#list.reveal(indexOf(this.#rows, { key: at.key, entry: at.entries[0]?.id ?? 0 }), 'start');
  }

  #setFilters(filters: ReadonlySet<FilterName>): void {
    this.#filters = filters;
    this.#visible = { of: [], rows: [] };
    this.requestUpdate();
  }

  #loadOlder(limit: number): void {
    if (this.#loading || (this.#view?.older ?? 0) === 0) return;
    this.#loading = true;
    this.#host.send({ type: 'older', limit });
    this.requestUpdate();
  }

  /** Loads as far back as needed, then shows it. */
  #seek(target: 'start' | number): void {
    this.#seeking = target;
    this.#seekOn();
  }

  #seekOn(): void {
    const target = this.#seeking;
    if (target === null || this.#loading) return;
    const { first } = this.#transcript;
    const held = (this.#view?.older ?? 0) === 0 || (target !== 'start' && first !== null && first <= target);
    if (!held) {
      this.#loadOlder(bigPage);
      return;
    }
    this.#seeking = null;
    if (target === 'start') this.#activate(0, 'start');
    else this.#showEntry(target);
  }

  #showEntry(entry: number): void {
    const holds = (row: Row): boolean => row.entries.some((one) => one.id === entry);
    if (this.#filters.size > 0 && !this.#rows.some(holds)) this.#setFilters(new Set());
    const rows = this.#rows;
    const index = rows.findIndex(holds);
    const row = rows[index];
    // What was found may stand in a fold.
    if (row !== undefined && this.#find !== null && (row.kind === 'tool' || row.kind === 'thinking' || row.kind === 'aside'))
      this.#open.set(`${row.key}/`, true);
    this.#activate(index < 0 ? indexOf(rows, { key: '', entry }) : index, 'center');
  }

  #activate(index: number, block: 'start' | 'center' | 'nearest'): void {
    const row = this.#rows[index];
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

  /** The list scrolls without this element drawing anew, so that marks are made again for what comes into view. */
  async #mark(): Promise<void> {
    await this.#list.updateComplete;
    highlight(this.#list, this.#find === null ? [] : sought(this.#find.words));
  }

  #move(step: 1 | -1, stops: (row: Row) => boolean): void {
    const rows = this.#rows;
    const active = this.#active;
    let index = active === null ? this.#list.firstVisible() - (step === 1 ? 1 : 0) : indexOf(rows, active);
    do index += step;
    while (index >= 0 && index < rows.length && !stops(rows[index] as Row));
    if (index < 0 && (this.#view?.older ?? 0) > 0) this.#loadOlder(page);
    if (index >= 0 && index < rows.length) this.#activate(index, 'nearest');
    else if (index >= rows.length && step === 1) this.#list.scrollToEnd();
  }

  #takeKey(event: KeyboardEvent): void {
    const action = keyAction(event);
    if (action === null || this.#view === null) return;
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
        else this.querySelector<HTMLInputElement>('.find input')?.select();
        return;
      case 'closeFind':
        if (this.#find !== null) this.#toggleFind();
        return;
      case 'fold': {
        const index = this.#active === null ? -1 : indexOf(this.#rows, this.#active);
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
