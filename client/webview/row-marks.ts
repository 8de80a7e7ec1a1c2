/** Rows between the speech: dividers of the context, turn ends, plans, notices, small marks. */
import { html, nothing, type TemplateResult } from 'lit';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import { bytes, counted } from '../amounts.ts';
import { oneLine, visible } from '../plain-text.ts';
import type { Drawing } from './drawing.ts';
import { fold, plainText, restButton, type Drawn } from './parts.ts';
import { drawEnd } from './row-changes.ts';
import type { DividerRow, MarkEntry, MarksRow, NoticeRow, PlanRow, TurnRow } from './rows.ts';
import { markdownElement } from './sanitised.ts';
import { until, wholeTime } from './times.ts';
import { turnError, turnFacts } from './turn-facts.ts';

export function drawDivider(drawing: Drawing, row: DividerRow): TemplateResult {
  const [entry] = row.entries;
  if (entry.kind === 'reset') return html`<div class="divider"><span>${dividerWords(row)}</span></div>`;
  const line = html`<span>${dividerWords(row)}</span
    ><span class="quiet">${entry.kind === 'handoff' ? 'what was sent' : 'the summary'}</span>`;
  return html`<div class="divider ${entry.kind}">
    ${fold(drawing, row, '', line, () => html`${entry.kind === 'handoff' ? markdownElement(row.key, entry.text) : plainText(entry.text)} ${restButton(drawing, entry)}`)}${wayBack(drawing, row)}
  </div>`;
}

/** From the newest hand-over only: an earlier one's way back would lead past it. */
function wayBack(drawing: Drawing, row: DividerRow): Drawn {
  const [entry] = row.entries;
  const { thread, rows, send } = drawing;
  if (entry.kind !== 'handoff' || entry.to !== thread.harness) return nothing;
  const back = thread.returns.find((one) => one.harness === entry.from);
  const newest = rows.findLast((one) => one.kind === 'divider' && one.entries[0].kind === 'handoff');
  if (back === undefined || newest?.key !== row.key || !isCurrent(drawing)) return nothing;
  const since = back.turns === 0 ? '' : ` with ${counted(back.turns, 'new turn')}`;
  return html`<button
    type="button"
    class="way-back"
    title="Only what is new goes to the end of its own session"
    @click=${() => send({ type: 'returnTo', harness: entry.from })}
  >
    <span aria-hidden="true">↩</span> Return to ${harnessNames[entry.from]}${since}
  </button>`;
}

function isCurrent({ conversations, conversation }: Drawing): boolean {
  return conversations.find((one) => one.id === conversation)?.current === true;
}

export function dividerWords(row: DividerRow): string {
  const [entry] = row.entries;
  switch (entry.kind) {
    case 'summary': {
      const trigger = entry.trigger === 'auto' ? ' automatically' : entry.trigger === 'manual' ? ' on request' : '';
      return `Compacted${trigger}: everything above was summarised for the model`;
    }
    case 'handoff':
      return [
        `${harnessNames[entry.to]} took over from ${harnessNames[entry.from]}`,
        `baton ${bytes(entry.bytes)}`,
        entry.masked === 0 ? '' : `${counted(entry.masked, 'secret')} masked`,
        entry.quoted === 0 ? '' : counted(entry.quoted, 'quoted source'),
        modeWords(entry.mode),
      ]
        .filter((part) => part !== '')
        .join(' · ');
    case 'reset':
      return `Context cleared${entry.reason === '' ? '' : `: ${oneLine(entry.reason, 120)}`}`;
  }
}

/** A hand-over of a mode that this page does not know is still one. */
function modeWords(mode: string): string {
  switch (mode) {
    case 'native':
      return 'native history';
    case 'return':
      return 'return: only what was new';
    case 'prompt':
      return 'brief only';
    default:
      return '';
  }
}

export function drawTurn(drawing: Drawing, row: TurnRow, index: number): TemplateResult {
  const [entry] = row.entries;
  const error = turnError(drawing.rows, index);
  const isChanged = drawing.changes.ends.has(row.key);
  return html`<div class="turn ${entry.phase} ${isChanged ? 'changed' : ''}">
      <span>${turnFacts(drawing.rows, index, isChanged).join(' · ')}</span>${drawEnd(drawing, row)}
    </div>
    ${error === '' ? nothing : html`<p class="failure" dir="auto"><span aria-hidden="true">✗</span> ${visible(error)}</p>`}`;
}

export function drawPlan(drawing: Drawing, row: PlanRow): TemplateResult {
  const { items } = row.entries[0];
  const done = items.filter((item) => item.status === 'completed').length;
  const now = items.find((item) => item.status === 'inProgress');
  const line = html`<span class="tool-name">Plan</span
    ><span class="tool-title" dir="auto">${now === undefined ? '' : oneLine(now.text, 160)}</span
    ><span class="facts">${done} of ${items.length} done</span>`;
  return fold(
    drawing,
    row,
    '',
    line,
    () =>
      html`<ul class="plan">
        ${items.map(
          (item) =>
            html`<li class=${item.status}>
              <span class="box" role="img" aria-label=${planWords[item.status]}>${planSigns[item.status]}</span
              ><span dir="auto">${visible(item.text)}</span>
            </li>`,
        )}
      </ul>`,
    'plan-line',
  );
}

export function drawNotice(drawing: Drawing, row: NoticeRow): TemplateResult {
  const [entry] = row.entries;
  const sign = { info: 'ℹ', warning: '⚠', error: '✗' }[entry.level];
  const end = entry.resetsAt === undefined ? '' : until(entry.resetsAt, entry.at);
  const text = `${visible(entry.text)}${end === '' ? '' : ` · until ${end}`}`;
  const short = oneLine(text, 240);
  const line = html`<span class="sign" role="img" aria-label=${entry.level}>${sign}</span
    ><span class="notice-text" dir="auto" title=${entry.resetsAt === undefined ? nothing : wholeTime(entry.resetsAt)}
      >${short}</span
    >`;
  if (short === text.trim()) return html`<div class="notice ${entry.level}">${line}</div>`;
  return html`<div class="notice ${entry.level}">${fold(drawing, row, '', line, () => plainText(text))}</div>`;
}

export function drawMarks(_drawing: Drawing, row: MarksRow): TemplateResult {
  return html`<div class="marks" dir="auto">${marksWords(row.entries)}</div>`;
}

/** "model: opus-5 · permission: plan · 3 records that Loom does not understand (a, b)". */
export function marksWords(entries: readonly MarkEntry[]): string {
  const words: string[] = [];
  const opaque: string[] = [];
  for (const entry of entries) {
    if (entry.kind === 'setting') words.push(`${oneLine(entry.name, 40)}: ${oneLine(entry.value, 120)}`);
    else if (entry.kind === 'snapshot') words.push('snapshot of the worktree');
    else opaque.push(`${entry.damaged ? 'damaged ' : ''}${oneLine(entry.nativeType, 40)}`);
  }
  if (opaque.length > 0) {
    const kinds = [...new Set(opaque)];
    const shown = kinds.length > 4 ? `${kinds.slice(0, 4).join(', ')}, …` : kinds.join(', ');
    words.push(`${counted(opaque.length, 'record')} that Loom does not draw (${shown})`);
  }
  return words.join(' · ');
}

const planSigns = { pending: '☐', inProgress: '▶', completed: '☑' };
const planWords = { pending: 'to do', inProgress: 'in progress', completed: 'done' };
