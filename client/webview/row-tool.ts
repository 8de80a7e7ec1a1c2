/** A tool as one line: what was called, how it ended. Unfolded: its input, its output, and the changes it made as diffs. */
import { html, nothing, type TemplateResult } from 'lit';
import type { FileChange } from '../../shuttles/contract/entry.ts';
import { counted } from '../amounts.ts';
import { oneLine, visible } from '../plain-text.ts';
import { subagentOf } from './branches.ts';
import { diffLines } from './diff-lines.ts';
import type { Drawing } from './drawing.ts';
import { inputText } from './input-text.ts';
import { copyButton, fileLink, fold, pictures, plainText, restButton, terminalText, type Drawn } from './parts.ts';
import type { ToolRow } from './rows.ts';
import { changed, toolFacts, type ToolFacts } from './tool-facts.ts';

/** A diff longer than this is drawn to here; the whole stands in the file. */
const mostDiffLines = 600;

export function drawTool(drawing: Drawing, row: ToolRow): TemplateResult {
  const facts = toolFacts(row, drawing.thread.cwd);
  const running = facts.outcome === 'open' && isRunning(drawing, row);
  const line = html`<span class="tool-name">${facts.name}</span><span class="tool-title" dir="auto">${facts.title}</span
    ><span class="facts"
      >${outcomeSign(facts)}${facts.facts.join(' · ')}${running ? 'running…' : facts.outcome === 'open' ? 'no result' : ''}</span
    >`;
  const classes = `tool ${facts.outcome}${running ? ' running' : ''}${row.result?.details.action === 'plan' ? ' planning' : ''}`;
  return html`${fold(drawing, row, '', line, () => body(drawing, row, facts), classes)}
  ${facts.reason === '' || drawing.isOpen(row) ? nothing : html`<div class="reason" dir="auto">${facts.reason}</div>`}
  ${subagentLink(drawing, row)}`;
}

function outcomeSign(facts: ToolFacts): Drawn {
  switch (facts.outcome) {
    case 'failed':
      return html`<span class="sign" role="img" aria-label="failed">✗</span> `;
    case 'denied':
      return html`<span class="sign" role="img" aria-label="denied">⊘</span> `;
    case 'interrupted':
      return html`<span class="sign" role="img" aria-label="interrupted">◌</span> `;
    case 'ok':
    case 'open':
      return nothing;
  }
}

/** The last call of a thread that works now has no result because it is still at it. */
function isRunning(drawing: Drawing, row: ToolRow): boolean {
  if (!drawing.thread.live || drawing.thread.state === 'idle') return false;
  const last = drawing.rows.at(-1);
  return last === row || drawing.rows.slice(-12).includes(row);
}

function body(drawing: Drawing, row: ToolRow, facts: ToolFacts): TemplateResult {
  const { call, result } = row;
  const details = result?.details ?? {};
  const { command } = details;
  const diffs = facts.files.filter((file) => file.diff !== undefined && file.diff !== '');
  const input =
    call === null || diffs.length > 0 || command !== undefined
      ? nothing
      : section('Input', plainText(inputText(call.input)), copyButton(drawing, call.input, 'input'));
  return html`
    ${command === undefined ? nothing : section('Command', plainText(command), copyButton(drawing, command, 'command'))} ${input}
    ${facts.files.map((file) => drawFile(drawing, file))}
    ${(details.questions ?? []).map(({ question, answer }) => section(visible(question), plainText(answer ?? 'no answer')))}
    ${details.url === undefined || call?.input.includes(details.url) === true ? nothing : section('Address', plainText(details.url))}
    ${result === null || result.output === '' ? nothing : section(result.isError && details.exitCode === undefined ? 'Error' : 'Output', terminalText(result.output), copyButton(drawing, result.output, 'output'))}
    ${result === null || result.output !== '' || diffs.length > 0 ? nothing : html`<p class="quiet">No output.</p>`}
    ${result?.kind === 'tool_result' ? pictures(result.images) : nothing}
    ${result === null ? nothing : restButton(drawing, result)}
  `;
}

function section(name: string, content: unknown, action: Drawn = nothing): TemplateResult {
  return html`<section class="part">
    <header><span class="part-name" dir="auto">${name}</span>${action}</header>
    ${content}
  </section>`;
}

function drawFile(drawing: Drawing, file: FileChange): TemplateResult {
  const what = { add: 'new', update: '', delete: 'deleted', move: 'moved' }[file.change];
  const lines = diffLines(file.diff ?? '');
  return html`<section class="part diff">
    <header>
      ${fileLink(drawing, file.movedTo ?? file.path, firstLine(lines))}<span class="quiet">${what}</span
      ><span class="facts">${changed([file])}</span>
    </header>
    ${
      lines.length === 0
        ? nothing
        : html`<div class="diff-lines" role="group" aria-label="Changes of ${visible(file.path)}" tabindex="0">
            ${lines
              .slice(0, mostDiffLines)
              .map(
                (line) =>
                  html`<div class="diff-line ${line.kind}">
                    <span class="number" aria-hidden="true">${line.before ?? ''}</span
                    ><span class="number" aria-hidden="true">${line.after ?? ''}</span
                    ><span class="mark">${{ added: '+', removed: '−', same: ' ', hunk: '', note: '' }[line.kind]}</span
                    ><code>${visible(line.text)}</code>
                  </div>`,
              )}
            ${lines.length > mostDiffLines ? html`<p class="quiet">${counted(lines.length - mostDiffLines, 'more line')}</p>` : nothing}
          </div>`
    }
  </section>`;
}

function firstLine(lines: ReturnType<typeof diffLines>): number | null {
  return lines.find((line) => line.kind === 'added' || line.kind === 'same')?.after ?? null;
}

function subagentLink(drawing: Drawing, row: ToolRow): Drawn {
  const agent = subagentOf(drawing.conversations, drawing.thread.children, row.callId, row.result?.details.agent);
  if (agent === undefined) return nothing;
  const title = oneLine(agent.title, 100);
  return html`<button
    type="button"
    class="branch-link"
    @click=${() => drawing.send({ type: 'follow', conversation: agent.id, reveal: null })}
  >
    <span aria-hidden="true">↳</span> Subagent${title === '' ? '' : `: ${title}`} · ${counted(agent.entries, 'entry', 'entries')}
  </button>`;
}
