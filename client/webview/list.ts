/**
 * The windowed list: of any number of rows only those near the viewport are elements; the others are two spaces of their
 * summed heights. What is being read does not move: rows that are measured or come in above are outweighed by the browser's
 * scroll anchoring, and by hand where that does not reach (at the very top). At the bottom it sticks there as rows arrive.
 */
import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { estimatedHeight } from './estimate.ts';
import { Heights } from './heights.ts';
import { indexOf } from './row-index.ts';
import type { Row } from './rows.ts';

/** Pixels that are drawn beyond the viewport on each side, and how much of that may be used up before drawing anew. */
const overscan = 900;
const spare = 400;
/** So near to the end counts as at the end. */
const nearEnd = 32;

export class RowList extends LitElement {
  static override properties = {
    rows: { attribute: false },
    draw: { attribute: false },
    above: { attribute: false },
    empty: { attribute: false },
  };
  declare rows: readonly Row[];
  declare draw: (row: Row, index: number) => TemplateResult;
  /** What stands above the first row. */
  declare above: TemplateResult;
  declare empty: TemplateResult;

  /** Called when the newest or the oldest row comes near, and whenever sticking to the end begins or ends. */
  onNearStart: () => void = () => undefined;
  onStick: (atEnd: boolean) => void = () => undefined;

  #heights = new Heights([]);
  #measured = new Map<string, number>();
  #start = 0;
  #end = 0;
  #atEnd = true;
  #width = 0;
  #height = 0;
  #lastTop = 0;
  #anchor: { readonly key: string; readonly entry: number; readonly top: number } | null = null;
  #wanted: { readonly index: number; readonly block: 'start' | 'center' | 'nearest' } | null = null;
  #observed: ReadonlySet<Element> = new Set();
  readonly #sizes = new ResizeObserver((records) => {
    this.#takeSizes(records);
  });
  readonly #viewport = new ResizeObserver(() => {
    this.#takeViewport();
  });

  constructor() {
    super();
    this.rows = [];
    this.draw = () => html``;
    this.above = html``;
    this.empty = html``;
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }
  /** Indices of the rows that are elements now. */
  get drawn(): { readonly start: number; readonly end: number } {
    return { start: this.#start, end: this.#end };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('scroll', this.#onScroll, { passive: true });
    this.#viewport.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener('scroll', this.#onScroll);
    this.#viewport.disconnect();
    this.#sizes.disconnect();
    this.#observed = new Set();
  }

  /** A row is about to grow under the person's hand: the end is let go, so that the row stays where it is. */
  hold(): void {
    this.#setAtEnd(false);
  }

  scrollToEnd(): void {
    this.#setAtEnd(true);
    this.#wanted = null;
    this.requestUpdate();
  }

  /** Brings a row into view once it is drawn. `nearest` moves only as much as needed. */
  reveal(index: number, block: 'start' | 'center' | 'nearest'): void {
    if (index < 0 || index >= this.rows.length) return;
    this.#setAtEnd(false);
    this.#wanted = { index, block };
    this.requestUpdate();
  }

  /** Index of the first row that is at least partly visible. */
  firstVisible(): number {
    const top = this.getBoundingClientRect().top;
    for (const element of this.#elements())
      if (element.getBoundingClientRect().bottom > top + 4) return Number(element.dataset['index']);
    return this.#heights.find(this.scrollTop);
  }

  element(index: number): HTMLElement | undefined {
    return this.#elements().find((element) => Number(element.dataset['index']) === index);
  }

  /** Forgets what was kept of another transcript. */
  reset(): void {
    this.#measured.clear();
    this.#anchor = null;
    this.#wanted = null;
    this.#heights = new Heights([]);
    this.#setAtEnd(true);
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('rows')) {
      this.#anchor = this.#atEnd ? null : this.#readAnchor();
      this.#index((changed.get('rows') as readonly Row[] | undefined) ?? []);
    }
    this.#chooseWindow(changed.has('rows'));
  }

  protected override render(): TemplateResult {
    const { rows } = this;
    const visible = rows.slice(this.#start, this.#end);
    return html`<div class="above">${this.above}</div>
      ${rows.length === 0 ? this.empty : ''}
      <div class="space before"></div>
      <div class="rows" role="feed" aria-label="Transcript">
        ${repeat(
          visible,
          (row) => row.key,
          (row, index) => this.draw(row, this.#start + index),
        )}
      </div>
      <div class="space after"></div>`;
  }

  protected override updated(): void {
    this.#sizeSpaces();
    this.#observeDrawn();
    if (this.#wanted !== null) this.#scrollToWanted();
    else if (this.#atEnd) this.#scrollToBottom();
    else this.#keepAnchor();
    this.#considerStart();
  }

  readonly #onScroll = (): void => {
    const resized = this.clientWidth !== this.#width || this.clientHeight !== this.#height;
    // Only the person takes the list off its end: not rows that grow, and not another size of the viewport.
    if (this.#gap < nearEnd) this.#setAtEnd(true);
    else if (!resized && this.scrollTop < this.#lastTop - 1) this.#setAtEnd(false);
    this.#lastTop = this.scrollTop;
    if (!this.#covered(spare)) this.requestUpdate();
    this.#considerStart();
  };

  /** Pixels between the viewport and the end. */
  get #gap(): number {
    return this.scrollHeight - this.scrollTop - this.clientHeight;
  }

  #elements(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>(':scope > .rows > [data-key]')];
  }

  /** Heights for new rows: rows added at the end are only pushed, everything else is built anew. */
  #index(old: readonly Row[]): void {
    const { rows } = this;
    const width = this.#width || this.clientWidth;
    const height = (row: Row): number => this.#measured.get(row.key) ?? estimatedHeight(row, width - 90);
    const grown =
      old.length > 0 &&
      this.#heights.length === old.length &&
      rows.length >= old.length &&
      rows[0]?.key === old[0]?.key &&
      rows[old.length - 1]?.key === old.at(-1)?.key;
    if (grown) for (const row of rows.slice(old.length)) this.#heights.push(height(row));
    else this.#heights = new Heights(rows.map(height));
  }

  /** By script and not in the template: the page's policy forbids style attributes. */
  #sizeSpaces(): void {
    const before = this.#heights.offset(this.#start);
    const after = this.#heights.total - this.#heights.offset(this.#end);
    const sizes = [before, after];
    this.querySelectorAll<HTMLElement>(':scope > .space').forEach((space, index) => {
      const height = `${sizes[index] ?? 0}px`;
      if (space.style.height !== height) space.style.height = height;
    });
  }

  #observeDrawn(): void {
    const drawn = new Set<Element>(this.#elements());
    for (const element of this.#observed) if (!drawn.has(element)) this.#sizes.unobserve(element);
    for (const element of drawn) if (!this.#observed.has(element)) this.#sizes.observe(element);
    this.#observed = drawn;
  }

  #chooseWindow(rowsChanged: boolean): void {
    const { length } = this.rows;
    if (!rowsChanged && this.#wanted === null && !this.#atEnd && this.#covered(spare)) return;
    const view = this.clientHeight || 800;
    let top = this.scrollTop - this.#aboveHeight();
    if (this.#wanted !== null) {
      const { index } = this.#wanted;
      if (index >= this.#start && index < this.#end && !rowsChanged && this.element(index) !== undefined && this.#covered(spare))
        return;
      top = this.#heights.offset(index) - view / 2;
    } else if (this.#atEnd) top = this.#heights.total - view;
    else if (rowsChanged && this.#anchor !== null)
      top = this.#heights.offset(indexOf(this.rows, this.#anchor)) - this.#anchor.top;
    this.#start = this.#heights.find(Math.max(0, top - overscan));
    this.#end = Math.min(length, this.#heights.find(top + view + overscan) + 1);
    if (length === 0) this.#start = 0;
  }

  /** Is the viewport, and so much beyond it, within what is drawn? */
  #covered(beyond: number): boolean {
    if (this.#heights.length !== this.rows.length) return false;
    const top = this.scrollTop - this.#aboveHeight();
    const from = this.#heights.offset(this.#start);
    const to = this.#heights.offset(this.#end);
    return (
      (this.#start === 0 || from <= top - beyond) && (this.#end === this.rows.length || to >= top + this.clientHeight + beyond)
    );
  }

  #aboveHeight(): number {
    return this.querySelector<HTMLElement>(':scope > .above')?.offsetHeight ?? 0;
  }

  #readAnchor(): { readonly key: string; readonly entry: number; readonly top: number } | null {
    const top = this.getBoundingClientRect().top;
    for (const element of this.#elements()) {
      const box = element.getBoundingClientRect();
      if (box.bottom <= top + 1) continue;
      return { key: element.dataset['key'] ?? '', entry: Number(element.dataset['entry']), top: box.top - top };
    }
    return null;
  }

  #keepAnchor(): void {
    const anchor = this.#anchor;
    if (anchor === null) return;
    this.#anchor = null;
    const element = this.element(indexOf(this.rows, anchor));
    if (element === undefined) return;
    const moved = element.getBoundingClientRect().top - this.getBoundingClientRect().top - anchor.top;
    if (Math.abs(moved) >= 1) this.scrollTop += moved;
  }

  #scrollToWanted(): void {
    const wanted = this.#wanted;
    const element = wanted === null ? undefined : this.element(wanted.index);
    if (wanted === null || element === undefined) return;
    this.scrollTop += distance(this.getBoundingClientRect(), element.getBoundingClientRect(), wanted.block);
    this.#wanted = null;
    this.#setAtEnd(this.#gap < nearEnd);
    if (!this.#covered(spare)) this.requestUpdate();
  }

  #scrollToBottom(): void {
    this.scrollTop = this.scrollHeight;
  }

  #takeSizes(records: readonly ResizeObserverEntry[]): void {
    for (const record of records) {
      if (!(record.target instanceof HTMLElement)) continue;
      const key = record.target.dataset['key'];
      const index = Number(record.target.dataset['index']);
      const height = record.borderBoxSize[0]?.blockSize ?? record.contentRect.height;
      if (key === undefined || this.rows[index]?.key !== key || height === 0) continue;
      this.#measured.set(key, height);
      this.#heights.set(index, height);
    }
    if (this.#atEnd) this.#scrollToBottom();
    else if (this.#gap < nearEnd) this.#setAtEnd(true);
    if (!this.#covered(0)) this.requestUpdate();
  }

  /** Another width makes other heights: what was measured is a better guess than none, so it stays until it is drawn again. */
  #takeViewport(): void {
    this.#width = this.clientWidth;
    this.#height = this.clientHeight;
    if (this.#atEnd) this.#scrollToBottom();
    this.requestUpdate();
  }

  #considerStart(): void {
    if (this.scrollTop < this.clientHeight * 2) this.onNearStart();
  }

  #setAtEnd(atEnd: boolean): void {
    if (this.#atEnd === atEnd) return;
    this.#atEnd = atEnd;
    this.onStick(atEnd);
  }
}
customElements.define('loom-list', RowList);

/** How far `view` has to scroll so that `row` stands as wanted. Not scrollIntoView: that would also scroll the frames around the page. */
function distance(view: DOMRect, row: DOMRect, block: 'start' | 'center' | 'nearest'): number {
  const [above, below] = [row.top - view.top, row.bottom - view.bottom];
  if (block === 'start') return above;
  if (block === 'center') return (above + below) / 2;
  // Of a row that is taller than the view, the edge that is nearer.
  if (above < 0 && below < 0) return Math.max(above, below);
  return above > 0 && below > 0 ? Math.min(above, below) : 0;
}
