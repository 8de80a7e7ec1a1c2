/** Small templates that several kinds of rows share: folds, plain text, images, links to the whole text. */
import { html, nothing, type TemplateResult } from 'lit';
import type { EntryView, ImageView } from '../../server/protocol/views.ts';
import { visible } from '../plain-text.ts';
import { ansiPieces } from './ansi.ts';
import type { Drawing } from './drawing.ts';
import type { Row } from './rows.ts';

export type Drawn = TemplateResult | typeof nothing;

/** A line that opens and closes what is below it. */
export function fold(drawing: Drawing, row: Row, part: string, line: unknown, body: () => unknown, classes = ''): TemplateResult {
  const open = drawing.isOpen(row, part);
  return html`<button type="button" class="fold ${classes}" aria-expanded=${open} @click=${() => drawing.toggle(row, part)}>
      <span class="chevron" aria-hidden="true"></span>${line}</button
    >${open ? html`<div class="folded">${body()}</div>` : nothing}`;
}

/** Output of a program, with its colours. */
export function terminalText(text: string): TemplateResult {
  const pieces = ansiPieces(text);
  return html`<pre class="output" dir="ltr" tabindex="0">
${pieces.map((piece) => (piece.classes.length === 0 ? piece.text : html`<span class=${piece.classes.join(' ')}>${piece.text}</span>`))}</pre>`;
}

export function plainText(text: string): TemplateResult {
  return html`<pre class="plain" dir="auto" tabindex="0">${visible(text)}</pre>`;
}

export function copyButton(drawing: Drawing, text: string, what: string): TemplateResult {
  return html`<button type="button" class="copy" aria-label="Copy ${what}" @click=${() => drawing.send({ type: 'copy', text })}>
    Copy
  </button>`;
}

/** Under a text that was cut for the wire. */
export function restButton(drawing: Drawing, entry: EntryView): Drawn {
  if (!('clipped' in entry) || !entry.clipped) return nothing;
  return html`<button type="button" class="rest" @click=${() => drawing.send({ type: 'entry', entry: entry.id })}>
    Show the rest
  </button>`;
}

/** Only pictures of the kinds that cannot carry a script, and only inline ones: nothing is loaded. */
export function pictures(images: readonly ImageView[]): Drawn {
  if (images.length === 0) return nothing;
  return html`<div class="pictures">
    ${images.map((image) =>
      image.data !== undefined && /^image\/(?:png|jpeg|gif|webp)$/u.test(image.mimeType)
        ? html`<img alt="Image" src="data:${image.mimeType};base64,${image.data.replace(/[^A-Za-z0-9+/=]/gu, '')}" />`
        : html`<span class="image-name">Image (${visible(image.mimeType)}), not shown</span>`,
    )}
  </div>`;
}

/** A file's name that opens it. */
export function fileLink(drawing: Drawing, path: string, line: number | null = null): TemplateResult {
  return html`<a
    class="link file"
    role="link"
    tabindex="0"
    title=${visible(path)}
    @click=${(event: Event) => {
      event.stopPropagation();
      drawing.send({ type: 'openFile', path, line });
    }}
    >${visible(path)}</a
  >`;
}
