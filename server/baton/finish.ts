/**
 * From the folded state to the baton: statements in their final words, masked once more with all that the masker has learnt
 * since, text of others that reads like an order left out and counted. Pure: time and the worktree are given.
 */
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type {
  Baton,
  BatonThread,
  DecisionStatement,
  FailedStatement,
  FileStatement,
  GoalStatement,
  PlanStatement,
  ProcessFact,
  QuestionStatement,
  RankedStatement,
  Statement,
  TurnStatement,
  WorldFacts,
} from './baton.ts';
import type { BatonState, DecisionNote, FailureNote, FileNote, Note, QuestionNote, RecentPiece } from './baton-state.ts';
import { namedAndChanged } from './changed-since.ts';
import { isTrivial } from './cues.ts';
import { withoutCutWord } from './cut-title.ts';
import type { Masker } from './mask.ts';
import { cleanSpan } from './passage.ts';
import { codeSpan, inlineText } from './quote.ts';
import { Sieve } from './sieve.ts';
import { sourceName } from './source-name.ts';
import { worldStatements } from './world-statement.ts';

export interface BatonFrame {
  readonly thread: BatonThread;
  readonly to: Baton['to'];
  readonly now: number;
  readonly world: WorldFacts | null;
  readonly processes?: readonly ProcessFact[] | null;
  /** See `Baton.since`. */
  readonly since?: number | null;
}

export function finishBaton(state: BatonState, frame: BatonFrame, masker: Masker): Baton {
  const sieve = new Sieve(masker);
  const { substance, reason } = substanceOf(state);
  const thread = threadOf(frame.thread, sieve);
  return {
    thread,
    to: frame.to,
    compiledAt: frame.now,
    substance,
    reason,
    since: frame.since ?? null,
    goal: goalOf(state, sieve),
    constraints: state.constraints.map((note): RankedStatement => ({
      text: inlineText(sieve.own(note.text)),
      entries: note.entries,
      trust: note.trust,
      weight: note.score,
    })),
    plan: planOf(state, sieve),
    next: sieve.statements(state.next),
    decisions: state.decisions.flatMap((note) => decisionOf(note, state.files, sieve)),
    questions: state.questions.flatMap((note) => questionOf(note, sieve)),
    failed: state.failures.map((failure) => failedOf(failure, state.files, sieve)),
    world: worldStatements(state, thread, frame, (text) => sieve.foreign(text)),
    files: state.files.map((file): FileStatement => {
      const path = sieve.foreign(file.path);
      const moved = file.movedTo === '' ? '' : ` → ${codeSpan(sieve.foreign(file.movedTo))}`;
      return {
        text: `${codeSpan(path)}${moved} ${changeText(file.change, file.added, file.removed)}`.trimEnd(),
        path,
        change: file.change,
        added: file.added,
        removed: file.removed,
        entries: file.entries,
        trust: 'model',
      };
    }),
    lastTurns: state.recent.map((piece) => turnOf(piece, sieve)).filter((turn) => turn.text !== '' || turn.source !== undefined),
    open: state.open.map((call) => ({
      text: `${inlineText(sieve.foreign(call.name))} ${codeSpan(sieve.foreign(call.title))}`,
      entries: [call.entry],
      trust: 'model',
    })),
    summary: state.summary === null ? null : { ...passage(state.summary, sieve.passage(state.summary.text, 'the summary')) },
    pointer: pointerOf(state, thread, frame.to),
    counts: {
      entries: state.entries,
      prompts: state.prompts,
      files: state.files.length + state.filesForgotten,
      omitted: sieve.omitted,
    },
  };
}

function substanceOf(state: BatonState): Pick<Baton, 'substance' | 'reason'> {
  if (state.prompts === 0 && state.answers === 0 && state.actions === 0)
    return { substance: 'none', reason: 'The thread has no prompt and no answer.' };
  if (state.summary !== null || (state.actions > 0 && state.answers + state.prompts > 0))
    return { substance: 'enough', reason: null };
  // A prompt that nobody answered is enough: a quota that ends at the first prompt is what people hand over for.
  // Nobody but people of a chat asked: what they said goes as data, and so does what came of it.
  if (state.goal === null && state.answers > 0 && state.recent.some(({ who, trust }) => who === 'tool' && trust === 'chat'))
    return { substance: 'enough', reason: null };
  if (state.goal === null || isTrivial(state.goal.text))
    return { substance: 'thin', reason: 'No prompt of this thread asks for anything.' };
  return { substance: 'enough', reason: null };
}

function threadOf(thread: BatonThread, sieve: Sieve): BatonThread {
  const plain = (text: string): string =>
    sieve.foreign(cleanSpan(text, 200, { mask: (value) => ({ text: sieve.own(value), count: 0 }), learn: () => undefined }));
  return {
    ...thread,
    title: plain(withoutCutWord(thread.title)),
    cwd: plain(thread.cwd),
    branch: thread.branch === null ? null : plain(thread.branch),
    repo: thread.repo === null ? null : plain(thread.repo),
  };
}

function goalOf(state: BatonState, sieve: Sieve): readonly GoalStatement[] {
  const out: GoalStatement[] = [];
  if (state.goal !== null) out.push({ ...passage(state.goal, sieve.own(state.goal.text)), which: 'original' });
  if (state.ask !== null && state.ask.entries[0] !== state.goal?.entries[0])
    out.push({ ...passage(state.ask, sieve.own(state.ask.text)), which: 'newest' });
  return out;
}
const passage = (note: Note, text: string): Statement => ({ text, entries: note.entries, trust: note.trust });

function planOf(state: BatonState, sieve: Sieve): readonly PlanStatement[] {
  const items: readonly PlanStatement[] = (state.plan?.items ?? []).map((item) => ({
    text: inlineText(sieve.foreign(item.text)),
    status: item.status,
    entries: [state.plan?.entry ?? 0],
    trust: 'model',
  }));
  return items.length > 0 || state.approvedPlan === null
    ? items
    : [
        {
          text: inlineText(sieve.passage(state.approvedPlan.text, 'the plan')),
          status: 'inProgress',
          entries: state.approvedPlan.entries,
          trust: 'model',
        },
      ];
}

function decisionOf(note: DecisionNote, files: readonly FileNote[], sieve: Sieve): readonly DecisionStatement[] {
  return sieve.statements([note]).map((statement) => ({
    ...statement,
    by: statement.trust === 'user' ? 'person' : 'agent',
    about: note.about,
    weight: note.score,
    changedSince: changedSince(note, files, sieve),
  }));
}

function questionOf(note: QuestionNote, sieve: Sieve): readonly QuestionStatement[] {
  return sieve.statements([note]).map((statement) => ({ ...statement, by: note.by }));
}

const changedSince = (note: Note, files: readonly FileNote[], sieve: Sieve): readonly string[] =>
  namedAndChanged(note.text, note.entries, files).map((path) => sieve.foreign(path));

function failedOf(failure: FailureNote, files: readonly FileNote[], sieve: Sieve): FailedStatement {
  const base = {
    kind: failure.kind,
    entries: failure.entries,
    times: failure.times,
    resolved: failure.resolved,
    changedSince: failure.resolved ? [] : changedSince(failure, files, sieve),
  };
  if (failure.kind === 'refused')
    return { ...base, text: `The person refused: “${inlineText(sieve.own(failure.text))}”`, trust: 'user' };
  const text = sieve.foreign(failure.text);
  switch (failure.kind) {
    case 'said':
      return { ...base, text: inlineText(text), trust: 'model' };
    case 'api':
      return { ...base, text: `The model's service refused: ${codeSpan(text)}`, trust: 'harness' };
    case 'turn':
      return { ...base, text: `A turn failed: ${codeSpan(text)}`, trust: 'harness' };
    case 'command':
    case 'edit':
    case 'tool':
    case 'denied':
    case 'reverted':
      return { ...base, text: failure.line === '' ? text : `${text}: ${lineOf(failure.line, sieve)}`, trust: failure.trust };
  }
}

/** A line of a program's output; one that reads like an order leaves a note in its place. */
function lineOf(line: string, sieve: Sieve): string {
  const shown = sieve.foreign(line, 'tool output');
  return shown.startsWith('[instruction-like') ? shown : codeSpan(shown);
}

function turnOf(piece: RecentPiece, sieve: Sieve): TurnStatement {
  const base = { who: piece.who, entries: [piece.entry], trust: piece.trust };
  switch (piece.who) {
    case 'person':
      return { ...base, text: sieve.own(piece.text) };
    case 'agent':
      return { ...base, text: sieve.passage(piece.text, 'the agent’s answer') };
    case 'tool':
      return { ...base, text: sieve.passage(piece.text, sourceName(piece.trust)), source: sieve.foreign(piece.source) };
  }
}
function changeText(change: FileStatement['change'], added: number, removed: number): string {
  const lines = added + removed > 0 ? `+${added} -${removed}` : '';
  switch (change) {
    case 'add':
      return `new ${lines}`.trim();
    case 'delete':
      return `deleted ${lines}`.trim();
    case 'move':
      return `moved ${lines}`.trim();
    case 'update':
      return lines;
  }
}

/** OpenClaw is given no tool that reads threads. */
function pointerOf(state: BatonState, thread: BatonThread, to: Baton['to']): readonly Statement[] {
  const tool = to === 'openclaw' ? '' : `, or any [eN] with the tool ${codeSpan('loom_read')}`;
  const natives = thread.native.map((native) => `${harnessNames[native.harness]} session ${codeSpan(native.id)}`);
  const range = state.entries === 0 ? [] : [state.firstEntry, state.lastEntry];
  return [
    {
      text: `Whole history: ${codeSpan(`loom show ${thread.id}`)}${tool} (${state.entries} entries${natives.length > 0 ? `; ${natives.join(', ')}` : ''})`,
      entries: range,
      trust: 'loom',
    },
    ...state.handoffs.map((note): Statement => ({ text: `Carried before: ${note.text}`, entries: note.entries, trust: 'loom' })),
  ];
}
