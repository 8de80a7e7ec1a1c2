/** Rows in which somebody speaks: prompts and answers, open; thinking and asides, folded. */
import { html, nothing, type TemplateResult } from 'lit';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import { bytes } from '../amounts.ts';
import { oneLine } from '../plain-text.ts';
import type { Drawing } from './drawing.ts';
import { copyButton, fold, pictures, plainText, restButton } from './parts.ts';
import type { AnswerRow, AsideRow, PromptRow, ThinkingRow } from './rows.ts';
import { markdownElement } from './sanitised.ts';

export function drawPrompt(drawing: Drawing, row: PromptRow): TemplateResult {
  const [entry] = row.entries;
  const origin = { typed: '', queued: 'queued', hook: 'from a hook', chat: 'from a chat', loom: 'from Loom', harness: '' }[
    entry.origin
  ];
  return html`<header class="speaker">
      <strong>${entry.origin === 'chat' ? oneLine(entry.sender ?? 'Somebody', 60) : 'You'}</strong
      >${origin === '' ? nothing : html`<span class="chip">${origin}</span>`}${copyButton(drawing, entry.text, 'prompt')}
    </header>
    ${markdownElement(row.key, entry.text)} ${pictures(entry.images)} ${restButton(drawing, entry)}`;
}

export function drawAnswer(drawing: Drawing, row: AnswerRow, leads: boolean): TemplateResult {
  const [first] = row.entries;
  const text = textOf(row);
  const failed = row.entries.some((entry) => entry.failed);
  return html`${leads ? speaker(drawing, row, text) : nothing}
    <div class=${first.commentary ? 'commentary' : ''}>${text === '' ? nothing : markdownElement(row.key, text)}</div>
    ${failed ? html`<p class="failure"><span aria-hidden="true">✗</span> The answer ended with an error.</p>` : nothing}
    ${row.entries.map((entry) => html`${pictures(entry.images)} ${restButton(drawing, entry)}`)}`;
}

export function drawThinking(drawing: Drawing, row: ThinkingRow): TemplateResult {
  const text = row.entries
    .map((entry) => entry.thinking.trim())
    .filter((part) => part !== '')
    .join('\n\n');
  const line = html`<span class="quiet">Thinking</span
    ><span class="preview" dir="auto">${oneLine(text.replace(/[*_`#]{2,}|`/gu, ''), 160)}</span>`;
  return fold(
    drawing,
    row,
    '',
    line,
    () =>
      html`<div class="thinking">${markdownElement(row.key, text)}</div>
        ${row.entries.map((entry) => restButton(drawing, entry))}`,
  );
}

export function drawAside(drawing: Drawing, row: AsideRow): TemplateResult {
  const [entry] = row.entries;
  const line = html`<span class="quiet">${asideName(row)}</span><span class="preview" dir="auto">${oneLine(entry.text, 160)}</span
    ><span class="facts">${bytes(entry.text.length)}${entry.clipped ? ' and more' : ''}</span>`;
  return fold(drawing, row, '', line, () => html`${plainText(entry.text)} ${restButton(drawing, entry)}`);
}

export function textOf(row: AnswerRow): string {
  return row.entries
    .map((entry) => entry.text.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

export function asideName(row: AsideRow): string {
  const [entry] = row.entries;
  if (entry.kind === 'system') return 'Instructions';
  if (entry.origin === 'loom') return 'Baton';
  return entry.origin === 'hook' ? 'From a hook' : `Added by ${harnessNames[entry.harness]}`;
}

function speaker(drawing: Drawing, row: AnswerRow, text: string): TemplateResult {
  const [first] = row.entries;
  const model = first.model === null ? nothing : html`<span class="quiet">${oneLine(first.model, 60)}</span>`;
  return html`<header class="speaker">
    <strong>${harnessNames[first.harness]}</strong>${model}${copyButton(drawing, text, 'answer')}
  </header>`;
}
