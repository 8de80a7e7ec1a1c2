/** One row: its frame (time, day, place in the list, label for screen readers), and inside it what its kind draws. */
import { html, nothing, type TemplateResult } from 'lit';
import { counted } from '../amounts.ts';
import { oneLine } from '../plain-text.ts';
import type { Drawing } from './drawing.ts';
import type { Drawn } from './parts.ts';
import { drawBetween, drawEnd, spokenChanges } from './row-changes.ts';
import { drawDivider, drawMarks, drawNotice, drawPlan, drawTurn, dividerWords, marksWords } from './row-marks.ts';
import { asideName, drawAnswer, drawAside, drawPrompt, drawThinking, textOf } from './row-speech.ts';
import { drawTool } from './row-tool.ts';
import type { Row } from './rows.ts';
import { clock, firstDay, newDay, wholeTime } from './times.ts';
import { toolFacts } from './tool-facts.ts';
import { turnFacts } from './turn-facts.ts';

export interface RowFrame {
  readonly index: number;
  /** -1 while older rows are not loaded, as WAI-ARIA's feed wants it. */
  readonly size: number;
  readonly active: boolean;
}

export function drawRow(drawing: Drawing, row: Row, frame: RowFrame): TemplateResult {
  const { index } = frame;
  const before = drawing.rows[index - 1];
  const at = row.entries[0]?.at ?? null;
  const day = before === undefined ? firstDay(at, Date.now()) : newDay(lastTime(before), at);
  return html`<article
    class="row is-${row.kind} ${frame.active ? 'active' : ''}"
    data-key=${row.key}
    data-index=${index}
    data-entry=${row.entries[0]?.id ?? 0}
    data-vscode-context=${JSON.stringify({ webviewSection: 'entry', thread: drawing.thread.id, entry: row.entries[0]?.id ?? 0 })}
    tabindex=${frame.active ? 0 : -1}
    aria-posinset=${index + 1}
    aria-setsize=${frame.size}
    aria-label=${[spoken(drawing, row, index), spokenChanges(drawing, row)].filter((part) => part !== '').join(', ')}
  >
    ${day === '' ? nothing : html`<div class="day">${day}</div>`} ${drawBetween(drawing, row)}
    <div class="line">
      <time class="time" title=${wholeTime(at)}>${showsTime(row) ? clock(at) : ''}</time>
      <div class="body">${content(drawing, row, index, leads(drawing.rows, index))}</div>
    </div>
    ${changesBelow(drawing, row)}${forkLinks(drawing, row, drawing.rows[index + 1])}
  </article>`;
}

function content(drawing: Drawing, row: Row, index: number, lead: boolean): TemplateResult {
  switch (row.kind) {
    case 'prompt':
      return drawPrompt(drawing, row);
    case 'answer':
      return drawAnswer(drawing, row, lead);
    case 'thinking':
      return drawThinking(drawing, row);
    case 'tool':
      return drawTool(drawing, row);
    case 'aside':
      return drawAside(drawing, row);
    case 'notice':
      return drawNotice(drawing, row);
    case 'divider':
      return drawDivider(drawing, row);
    case 'plan':
      return drawPlan(drawing, row);
    case 'turn':
      return drawTurn(drawing, row, index);
    case 'marks':
      return drawMarks(drawing, row);
  }
}

/** An answer names its speaker unless the same one spoke before it in the same stretch of work. */
function leads(rows: readonly Row[], index: number): boolean {
  const row = rows[index];
  if (row?.kind !== 'answer') return false;
  for (let at = index - 1; at >= Math.max(0, index - farthest); at -= 1) {
    const before = rows[at];
    switch (before?.kind) {
      case 'answer':
        return before.entries[0].harness !== row.entries[0].harness;
      case 'thinking':
      case 'tool':
      case 'plan':
      case 'marks':
        break;
      case 'prompt':
      case 'aside':
      case 'notice':
      case 'divider':
      case 'turn':
      case undefined:
        return true;
    }
  }
  return true;
}

/** How many rows back the speaker is looked for. */
const farthest = 40;

function showsTime(row: Row): boolean {
  return row.kind === 'prompt' || row.kind === 'answer' || row.kind === 'notice' || row.kind === 'divider';
}

function lastTime(row: Row | undefined): number | null {
  return row?.entries.at(-1)?.at ?? null;
}

/** A row that says that the turn ended has its changes in its own line. */
function changesBelow(drawing: Drawing, row: Row): Drawn {
  if (row.kind === 'turn' || !drawing.changes.ends.has(row.key)) return nothing;
  return html`<div class="turn changed">${drawEnd(drawing, row)}</div>`;
}

/** Branches that leave here: a rewound or forked line, said so and dimmed. */
function forkLinks(drawing: Drawing, row: Row, next: Row | undefined): Drawn {
  // Where a hand-over follows, the earlier agent's line mostly ends: it is one thread, and nothing was left.
  const handedOver = next?.kind === 'divider' && next.entries[0].kind === 'handoff';
  const parent = drawing.conversations.find((conversation) => conversation.id === drawing.conversation)?.parent?.conversation;
  const forks = row.entries
    .flatMap((entry) => drawing.forks.get(entry.id) ?? [])
    .filter((fork) => !handedOver || fork.id !== parent);
  if (forks.length === 0) return nothing;
  return html`<div class="forks">
    ${forks.map(
      (fork) =>
        html`<button
          type="button"
          class="branch-link ${fork.current ? '' : 'left'}"
          @click=${() => drawing.send({ type: 'follow', conversation: fork.id, reveal: null })}
        >
          <span aria-hidden="true">⎇</span> ${fork.current ? 'The thread goes on in another line' : 'An earlier line leaves here'}
          · ${counted(fork.entries, 'entry', 'entries')}
        </button>`,
    )}
  </div>`;
}

function spoken(drawing: Drawing, row: Row, index: number): string {
  switch (row.kind) {
    case 'prompt':
      return `You: ${oneLine(row.entries[0].text, 200)}`;
    case 'answer':
      return `Answer: ${oneLine(textOf(row), 200)}`;
    case 'thinking':
      return 'Thinking, folded';
    case 'tool': {
      const facts = toolFacts(row, drawing.thread.cwd);
      return [facts.name, oneLine(facts.title, 120), facts.outcome === 'ok' ? '' : facts.outcome, ...facts.facts]
        .filter((part) => part !== '')
        .join(', ');
    }
    case 'aside':
      return asideName(row);
    case 'notice':
      return `${row.entries[0].level}: ${oneLine(row.entries[0].text, 200)}`;
    case 'divider':
      return dividerWords(row);
    case 'plan':
      return `Plan, ${counted(row.entries[0].items.length, 'step')}`;
    case 'turn':
      return turnFacts(drawing.rows, index, drawing.changes.ends.has(row.key)).join(', ');
    case 'marks':
      return marksWords(row.entries);
  }
}
