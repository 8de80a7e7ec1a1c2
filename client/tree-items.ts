/**
 * The list as values: a pure function from the `threads` view to the rows of the tree. No row is more than its text says,
 * and no state is told by colour alone. Text of transcripts is one plain line here; it never becomes Markdown or an icon.
 */
import { harnessNames, type HarnessId } from '../shuttles/contract/harness.ts';
import type { HarnessStatus, ThreadView, ThreadsView } from '../server/protocol/views.ts';
import { age, counted, tokens } from './amounts.ts';
import { lineWords, totalWords } from './changes-words.ts';
import { conflictSentence, leaseSentence } from './conflict-words.ts';
import { groupThreads, type Grouping } from './grouping.ts';
import { label, oneLine, visible } from './plain-text.ts';
import { fidelityWords, harnessesOf, stateSign, stateWords, titleOf } from './thread-words.ts';

export type TreeNode = GroupNode | ThreadNode | LineNode;
export interface GroupNode {
  readonly kind: 'group';
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly children: readonly TreeNode[];
}
export interface ThreadNode {
  readonly kind: 'thread';
  readonly id: string;
  readonly thread: ThreadView;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
  readonly icon: HarnessId;
  /** What the context menu may offer: "thread", then " folder" and " file" where there is one, or " gone" where that was deleted, " conflict" and " changes". */
  readonly context: string;
}
/** A fault, or a place that was looked at. */
export interface LineNode {
  readonly kind: 'line';
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: 'warning' | 'folder' | 'circle-slash';
}

export interface TreeOptions {
  readonly grouping: Grouping;
  /** Which threads are shown; the rest are not counted either. */
  readonly shows: (thread: ThreadView) => boolean;
  readonly now: Date;
  readonly locale?: string | undefined;
}

export function treeNodes(view: ThreadsView, options: TreeOptions): readonly TreeNode[] {
  const now = options.now.getTime();
  const threads = view.threads.filter((thread) => options.shows(thread));
  const groups = groupThreads(threads, options.grouping, options.now, options.locale);
  return [
    ...view.faults.map(faultNode),
    ...groups.map((group): GroupNode => ({
      kind: 'group',
      id: `group:${group.id}`,
      label: group.label,
      description: String(group.threads.length),
      tooltip: group.path === undefined ? group.label : visible(group.path),
      children: group.threads.map((thread) => threadNode(thread, now)),
    })),
  ];
}

export function threadNode(thread: ThreadView, now: number): ThreadNode {
  const title = titleOf(thread);
  const harnesses = harnessesOf(thread);
  const sign = stateSign(thread);
  const facts = factsOf(thread, harnesses, now);
  return {
    kind: 'thread',
    id: `thread:${thread.id}`,
    thread,
    label: `${thread.conflict === null ? '' : '⚠ '}${sign === '' ? '' : `${sign} `}${title}${harnesses.length > 1 ? '  ⇄' : ''}`,
    description: facts.join(' · '),
    tooltip: tooltipOf(thread, title, harnesses, now),
    spoken: [
      title,
      ...facts.toReversed(),
      thread.conflict === null ? '' : conflictSentence(thread.conflict),
      thread.branch === null ? '' : `branch ${oneLine(thread.branch, 60)}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
    icon: thread.harness,
    context: `thread${thread.cwd === '' ? '' : ' folder'}${thread.native.length === 0 ? '' : thread.sourceGone ? ' gone' : ' file'}${thread.conflict === null ? '' : ' conflict'}${hasChanges(thread) ? ' changes' : ''}`,
  };
}

/** How many agents wait for the person. */
export function waitingCount(view: ThreadsView): number {
  return view.threads.filter((thread) => thread.live && thread.state === 'waiting').length;
}

/** Where sessions were looked for, a line for each folder. */
export function placeNodes(harnesses: readonly HarnessStatus[]): readonly LineNode[] {
  return harnesses.flatMap((status) =>
    status.roots.map((root): LineNode => ({
      kind: 'line',
      id: `place:${status.harness}:${root.path}`,
      label: harnessNames[status.harness],
      description: `${visible(root.path)}${root.exists ? '' : ' · not there'}`,
      tooltip: `${harnessNames[status.harness]} ${status.installed === null ? 'is not installed' : oneLine(status.installed, 60)}\n${visible(root.path)}${root.exists ? '' : ' does not exist'}`,
      icon: root.exists ? 'folder' : 'circle-slash',
    })),
  );
}

/** Why there is no list, and what to do, in the list's place. */
export function troubleNode(trouble: { readonly id: string | null; readonly text: string; readonly fix: string }): LineNode {
  return faultNode({ id: trouble.id ?? '', message: trouble.text, fix: trouble.fix });
}

function faultNode(fault: { readonly id: string; readonly message: string; readonly fix: string }): LineNode {
  return {
    kind: 'line',
    id: `fault:${fault.id}:${fault.message}`,
    label: label(fault.message, 200),
    description: fault.id,
    tooltip: `${visible(fault.message)}\n${visible(fault.fix)}`,
    icon: 'warning',
  };
}

/** What changes first: a narrow side bar cuts the end off, and who it is stands in the icon too. */
function factsOf(thread: ThreadView, harnesses: readonly HarnessId[], now: number): readonly string[] {
  const who = harnesses.map((harness) => harnessNames[harness]).join(' → ');
  const state = stateWords(thread);
  const when = age(thread.updatedAt, now);
  const flags = [
    thread.reading === true ? 'being read' : '',
    thread.conflict === null ? '' : 'conflict',
    stoppedWords(thread),
    thread.parent === null ? '' : 'fork',
    thread.importedFrom === null ? '' : 'copy',
    thread.automation ? 'automation' : '',
    thread.archived ? 'archived' : '',
    thread.sourceGone ? 'only in the ledger' : '',
    fidelityWords(thread).short,
  ];
  // How many there are is not known before all is read.
  const turns = thread.turns === 0 || thread.reading === true ? '' : counted(thread.turns, 'turn');
  const first = state === '' ? [when, turns] : [state, when];
  const total = hasChanges(thread) ? lineWords(thread.changes.added, thread.changes.removed) : '';
  return [...first, total, ...flags, who].filter((part) => part !== '');
}

type Changed = ThreadView & { readonly changes: NonNullable<ThreadView['changes']> };

function hasChanges(thread: ThreadView): thread is Changed {
  return thread.changes !== undefined && thread.changes.files > 0;
}

function stoppedWords(thread: ThreadView): string {
  switch (thread.stopped?.reason) {
    case undefined:
      return '';
    case 'limit':
      return 'stopped at a limit';
    case 'failed':
      return 'failed';
  }
}

function tooltipOf(thread: ThreadView, title: string, harnesses: readonly HarnessId[], now: number): string {
  const used = thread.usage.input + thread.usage.output + thread.usage.cacheRead + thread.usage.cacheWrite;
  const lines = [
    title,
    `${harnesses.map((harness) => harnessNames[harness]).join(' → ')}${surfaceWords(thread)}${thread.model === null ? '' : ` · ${oneLine(thread.model, 60)}`}`,
    thread.live ? driverWords(thread) : '',
    leaseSentence(thread, now),
    thread.conflict === null ? '' : `Conflict: ${conflictSentence(thread.conflict)}`,
    thread.stopped === null || thread.stopped.text === '' ? '' : `Stopped: ${oneLine(thread.stopped.text, 200)}`,
    thread.cwd === '' ? '' : `Folder: ${visible(thread.cwd)}`,
    thread.branch === null ? '' : `Branch: ${oneLine(thread.branch, 120)}`,
    thread.reading === true ? 'Its session file is being read: its beginning is here already' : '',
    `${counted(thread.turns, 'turn')}, ${counted(thread.entries, 'entry', 'entries')}, last ${age(thread.updatedAt, now)} ago`,
    hasChanges(thread) ? `Changed: ${totalWords(thread.changes.files, thread.changes.added, thread.changes.removed)}` : '',
    used === 0 ? '' : `Tokens: ${tokens(used)} (${tokens(thread.usage.output)} written)`,
    thread.children.length === 0 ? '' : counted(thread.children.length, 'subagent'),
    thread.parent === null ? '' : 'Forked from another thread',
    thread.importedFrom === null ? '' : `A copy that was imported from ${oneLine(thread.importedFrom, 60)}`,
    fidelityWords(thread).whole,
    thread.archived ? 'Archived in its harness' : '',
    thread.sourceGone ? 'Its session file is gone; the ledger still has it' : '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function surfaceWords(thread: ThreadView): string {
  return thread.surface === 'unknown' || thread.surface === 'cli' ? '' : ` (${thread.surface})`;
}

function driverWords(thread: ThreadView): string {
  const { driver } = thread;
  if (driver === null) return stateWords(thread) === '' ? '' : `Live: ${stateWords(thread)}`;
  const process = driver.pid === null ? '' : `, process ${driver.pid}`;
  const where = driver.surface === null ? '' : `, ${oneLine(driver.surface, 40)}`;
  return `Driven by ${harnessNames[driver.harness]}${where}${process}: ${stateWords(thread)}`;
}
