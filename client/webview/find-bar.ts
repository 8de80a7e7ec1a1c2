/** The bar of find in thread: a field, what was found, and the way from hit to hit. */
import { html, type TemplateResult } from 'lit';
import { findWords, type Find } from './find.ts';

export interface FindBarParts {
  readonly find: Find;
  readonly ask: (words: string) => void;
  readonly step: (step: 1 | -1) => void;
  readonly close: () => void;
}

export function drawFindBar({ find, ask, step, close }: FindBarParts): TemplateResult {
  const input = (event: Event): void => {
    if (event.target instanceof HTMLInputElement) ask(event.target.value);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
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
    <button type="button" aria-label="Previous match" @click=${() => step(-1)}>↑</button>
    <button type="button" aria-label="Next match" @click=${() => step(1)}>↓</button>
    <button type="button" aria-label="Close find" @click=${close}>✕</button>
  </div>`;
}
