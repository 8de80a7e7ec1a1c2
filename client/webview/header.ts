/** The head of a timeline: title, who held the thread, its state, what can be done with it, branches, filters. */
import { html, nothing, type TemplateResult } from 'lit';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { ConversationView, ThreadView } from '../../server/protocol/views.ts';
import type { ThreadChanges } from '../../server/protocol/world.ts';
import { counted, tokens } from '../amounts.ts';
import { oneLine, shortPath, visible } from '../plain-text.ts';
import { totalWords } from '../changes-words.ts';
import { conflictChoices, conflictMeanings, conflictSentence, leaseSentence } from '../conflict-words.ts';
import { fidelityWords, harnessesOf, stateSign, stateWords } from '../thread-words.ts';
import { branches } from './branches.ts';
import { filterNames, type FilterName } from './filters.ts';
import type { Intent } from './messages.ts';

export interface HeaderParts {
  readonly thread: ThreadView;
  readonly conversations: readonly ConversationView[];
  readonly conversation: number;
  readonly filters: ReadonlySet<FilterName>;
  readonly finding: boolean;
  /** null: not known yet. */
  readonly changes: ThreadChanges | null;
  readonly send: (intent: Intent) => void;
  readonly toggleFilter: (name: FilterName) => void;
  readonly openFind: () => void;
}

export function drawHeader(parts: HeaderParts): TemplateResult {
  const { thread, send } = parts;
  const title = oneLine(thread.title, 300);
  return html`<header class="head">
    <div class="head-line">
      <h1 dir="auto" title=${visible(thread.title)}>${title === '' ? 'Untitled thread' : title}</h1>
      <div class="actions">
        <button type="button" class="primary" @click=${() => send({ type: 'continueIn' })}>Continue in…</button>
        ${changesButton(parts)}
        <button type="button" @click=${() => send({ type: 'copyBaton' })} title="Copy what another agent would be given">
          Copy baton
        </button>
      </div>
    </div>
    <div class="head-line facts-line">
      <span class="harnesses" title=${leaseSentence(thread, Date.now()) || nothing}
        >${harnessesOf(thread).map((harness, index) => html`${index === 0 ? nothing : html`<span class="arrow" aria-label="then">→</span>`}<span class="harness ${harness}">${harnessNames[harness]}</span>`)}</span
      >
      ${thread.live ? html`<span class="state ${thread.state}"><span aria-hidden="true">${stateSign(thread)}</span> ${stateWords(thread)}</span>` : nothing}
      ${facts(thread).map((fact) => html`<span class="fact" dir="auto" title=${fact.whole}>${fact.text}</span>`)}
      ${thread.parent === null ? nothing : html`<button type="button" class="branch-link" @click=${() => thread.parent !== null && send({ type: 'openThread', thread: thread.parent.thread })}><span aria-hidden="true">⎇</span> Forked from another thread</button>`}
    </div>
    <div class="head-line tools-line">
      <div class="filters" role="group" aria-label="Show only">
        ${filterNames.map((name) => html`<button type="button" class="filter" aria-pressed=${parts.filters.has(name)} @click=${() => parts.toggleFilter(name)}>${filterLabels[name]}</button>`)}
      </div>
      <button type="button" class="filter" aria-pressed=${parts.finding} @click=${parts.openFind} title="Find in thread (/)">
        Find
      </button>
      ${switcher(parts)}
    </div>
    ${conflictNote(parts)}${branchNote(parts)}${readingNote(parts)}${goneNote(parts)}
  </header>`;
}

/** Only where there is something to be seen. */
function changesButton({ changes, send }: HeaderParts): TemplateResult | typeof nothing {
  if (changes === null || changes.turns.every((turn) => turn.filesTotal === 0)) return nothing;
  const total = totalWords(changes.files, changes.added, changes.removed);
  const title = ['What its turns did to files, first to last', changes.reason ?? ''].filter((part) => part !== '').join('. ');
  return html`<button type="button" title=${title} @click=${() => send({ type: 'showAllChanges' })}>Changes · ${total}</button>`;
}

function facts(thread: ThreadView): readonly { readonly text: string; readonly whole: string }[] {
  const fidelity = fidelityWords(thread);
  const used = thread.usage.input + thread.usage.output + thread.usage.cacheRead + thread.usage.cacheWrite;
  return [
    { text: shortPath(oneLine(thread.cwd, 300)), whole: visible(thread.cwd) },
    {
      text: thread.branch === null ? '' : `⎇ ${oneLine(thread.branch, 40)}`,
      whole: thread.branch === null ? '' : `Branch ${visible(thread.branch)}`,
    },
    { text: thread.turns === 0 ? '' : counted(thread.turns, 'turn'), whole: counted(thread.entries, 'entry', 'entries') },
    {
      text: used === 0 ? '' : `${tokens(used)} tokens`,
      whole: `${tokens(thread.usage.output)} written, ${tokens(thread.usage.cacheRead)} read from caches`,
    },
    { text: fidelity.short === '' && fidelity.whole !== '' ? 'transcript' : fidelity.short, whole: fidelity.whole },
  ].filter((fact) => fact.text !== '');
}

function switcher(parts: HeaderParts): TemplateResult | typeof nothing {
  const listed = branches(parts.conversations);
  if (listed.length < 2) return nothing;
  const change = (event: Event): void => {
    if (event.target instanceof HTMLSelectElement)
      parts.send({ type: 'follow', conversation: Number(event.target.value), reveal: null });
  };
  return html`<label class="switcher"
    ><span class="quiet">Line</span>
    <select @change=${change}>
      ${listed.map((branch) => {
        const shown = branch.conversation === parts.conversation;
        // The shown one stands alone in the closed list: there, a depth would only be a gap.
        const indent = shown ? '' : '\u{a0}\u{a0}\u{a0}'.repeat(branch.depth);
        const words = `${indent}${branch.kind === 'subagent' ? '↳ ' : ''}${branch.label} (${branch.description})`;
        return html`<option value=${branch.conversation} class=${branch.kind} .selected=${shown}>${words}</option>`;
      })}
    </select></label
  >`;
}

/** Whoever looks at a line that is not the current one is told so, with the way back. */
function branchNote(parts: HeaderParts): TemplateResult | typeof nothing {
  const shown = parts.conversations.find((conversation) => conversation.id === parts.conversation);
  if (shown === undefined || shown.current) return nothing;
  const { conflict } = parts.thread;
  const what =
    conflict?.conversation === shown.id
      ? `This is what ${harnessNames[conflict.harness]} wrote in its old session after the hand-over.`
      : shown.owner === null
        ? 'This is an earlier line: the thread went on in another one.'
        : 'This is what a subagent did.';
  const back = shown.owner === null ? 'Show the current line' : 'Back to the thread';
  return html`<div class="branch-note" role="note">
    <span>${what}</span>
    <button type="button" class="branch-link" @click=${() => parts.send({ type: 'follow', conversation: null, reveal: null })}>
      ${back}
    </button>
  </div>`;
}

/** A session that lost the thread went on: nothing was merged, and the person decides. */
function conflictNote({ thread, conversation, send }: HeaderParts): TemplateResult | typeof nothing {
  const { conflict } = thread;
  if (conflict === null) return nothing;
  const { keep, follow } = conflictChoices(thread, conflict);
  const shown = conversation === conflict.conversation;
  return html`<div class="branch-note conflict" role="note">
    <span><span aria-hidden="true">⚠</span> ${conflictSentence(conflict)}</span>
    ${shown ? nothing : html`<button type="button" class="branch-link" @click=${() => send({ type: 'follow', conversation: conflict.conversation, reveal: null })}>See it</button>`}
    <button type="button" class="branch-link" title=${conflictMeanings.keep} @click=${() => send({ type: 'keepLease' })}>
      ${keep}
    </button>
    <button type="button" class="branch-link" title=${conflictMeanings.follow} @click=${() => send({ type: 'followConflict' })}>
      ${follow}
    </button>
  </div>`;
}

/** What is shown ends where reading is, and not where the thread does. */
function readingNote({ thread }: HeaderParts): TemplateResult | typeof nothing {
  if (thread.reading !== true) return nothing;
  return html`<div class="branch-note" role="note">
    <span>The session file is being read. What comes later in it appears here by itself.</span>
  </div>`;
}

/** Nothing is lost, and the agent itself can no longer open the session: both are said, with what can be done. */
function goneNote({ thread, send }: HeaderParts): TemplateResult | typeof nothing {
  if (!thread.sourceGone) return nothing;
  return html`<div class="branch-note" role="note">
    <span>The session file is gone. The thread is kept whole in the ledger.</span>
    <button type="button" class="branch-link" @click=${() => send({ type: 'restoreNative' })}>Restore…</button>
  </div>`;
}

const filterLabels: Readonly<Record<FilterName, string>> = {
  prompts: 'Prompts',
  answers: 'Answers',
  tools: 'Tools',
  failures: 'Failures',
};
