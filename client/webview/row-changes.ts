/** What a turn did to files: one line that unfolds to its files, with the ways to see and to restore all of it or one of them. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ChangedFile } from '../../server/protocol/world.ts';
import { counted } from '../amounts.ts';
import { betweenWords, byWords, pathWords, sizeWords, tooltipWords, totalWords } from '../changes-words.ts';
import type { Drawing } from './drawing.ts';
import { fold, type Drawn } from './parts.ts';
import type { Row } from './rows.ts';
import type { PlacedTurn } from './turn-changes.ts';

/** At the end of a turn. */
export function drawEnd(drawing: Drawing, row: Row): Drawn {
  const placed = drawing.changes.ends.get(row.key);
  return placed === undefined ? nothing : chip(drawing, row, placed, 'changes');
}

/** Above the prompt that follows. */
export function drawBetween(drawing: Drawing, row: Row): Drawn {
  const placed = drawing.changes.above.get(row.key);
  return placed === undefined ? nothing : html`<div class="turn changed between">${chip(drawing, row, placed, 'between')}</div>`;
}

/** For the row's label. */
export function spokenChanges(drawing: Drawing, row: Row): string {
  const placed = drawing.changes.ends.get(row.key);
  return placed === undefined ? '' : wordsOf(placed);
}

function chip(drawing: Drawing, row: Row, placed: PlacedTurn, part: string): TemplateResult {
  const { turn, name } = placed;
  const target = { before: turn.before, after: turn.after };
  const words = wordsOf(placed);
  const line = html`<span class="changed-words" title=${tooltipWords(turn)}>${words}</span>`;
  return html`${fold(drawing, row, part, line, () => list(drawing, placed), 'changed-line')}
    <button
      type="button"
      class="changed-act"
      aria-label="View diff of ${name}"
      @click=${() => drawing.send({ type: 'showChanges', ...target, path: null })}
    >
      View diff
    </button>
    <button
      type="button"
      class="changed-act"
      aria-label="Restore before ${name}"
      @click=${() => drawing.send({ type: 'restoreChanges', ...target, path: null })}
    >
      Restore before
    </button>`;
}

function wordsOf({ turn, name }: PlacedTurn): string {
  return turn.entry === null
    ? betweenWords(turn)
    : `${name.toLowerCase()} · ${totalWords(turn.filesTotal, turn.added, turn.removed)}`;
}

function list(drawing: Drawing, { turn }: PlacedTurn): TemplateResult {
  const more = turn.filesTotal - mostFiles;
  return html`<ul class="changed-files">
      ${turn.files.slice(0, mostFiles).map((file) => html`<li>${fileLine(drawing, { turn, name: '' }, file)}</li>`)}
    </ul>
    ${more > 0 ? html`<p class="quiet">and ${counted(more, 'more file')}: View diff shows them.</p>` : nothing}
    ${turn.beside.length === 0 ? nothing : html`<p class="quiet">${counted(turn.beside.length, 'other thread')} worked in the same folder meanwhile.</p>`}`;
}

function fileLine(drawing: Drawing, { turn }: PlacedTurn, file: ChangedFile): TemplateResult {
  const target = { before: turn.before, after: turn.after, path: file.path };
  const named = pathWords(file);
  return html`<button
      type="button"
      class="branch-link file"
      dir="ltr"
      aria-label="View diff of ${named}"
      @click=${() => drawing.send({ type: 'showChanges', ...target })}
    >
      ${named}</button
    ><span class="facts">${sizeWords(file)}</span><span class="quiet">${byWords(file.by, turn.harness)}</span
    ><button
      type="button"
      class="changed-act"
      aria-label="Restore ${named}"
      @click=${() => drawing.send({ type: 'restoreChanges', ...target })}
    >
      Restore…
    </button>`;
}

/** More are seen better in the diff itself. */
const mostFiles = 100;
