/**
 * From the folded state to the baton: statements in their final words, masked once more with all that the masker has learnt
 * since, text of others that reads like an order left out and counted. Pure: time and the worktree are given.
 */
import type { Trust } from '../../shuttles/contract/entry.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type {
  Baton,
  BatonThread,
  DecisionStatement,
  FailedStatement,
  FileStatement,
  GoalStatement,
  PlanStatement,
  Statement,
  TurnStatement,
  WorldFacts,
} from './baton.ts';
import type { BatonState, FailureNote, Note, RecentPiece } from './baton-state.ts';
import { isTrivial } from './cues.ts';
import { collapseInstructions, isInstructionLike, omission } from './instruction-like.ts';
import type { Masker } from './mask.ts';
import { cleanSpan } from './passage.ts';
import { codeSpan, inlineText } from './quote.ts';
import { worldStatements } from './world-statement.ts';

export interface BatonFrame {
  readonly thread: BatonThread;
  readonly to: Baton['to'];
  readonly now: number;
  readonly world: WorldFacts | null;
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
    goal: goalOf(state, sieve),
    constraints: state.constraints.map((note) => ({
      text: inlineText(sieve.own(note.text)),
      entries: note.entries,
      trust: note.trust,
    })),
    plan: planOf(state, sieve),
    next: sieve.statements(state.next),
    decisions: sieve
      .statements(state.decisions)
      .map((statement): DecisionStatement => ({ ...statement, by: statement.trust === 'user' ? 'person' : 'agent' })),
    failed: state.failures.map((failure) => failedOf(failure, sieve)),
    world: worldStatements(state, thread, frame.world, frame.now, (text) => sieve.foreign(text)),
    files: state.files.map((file): FileStatement => {
      const path = sieve.foreign(file.path);
      const moved = file.movedTo === '' ? '' : ` → ${codeSpan(sieve.foreign(file.movedTo))}`;
      return {
        text: `${codeSpan(path)}${moved} ${changeText(file.change, file.added, file.removed)}`,
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
    pointer: pointerOf(state, thread),
    counts: {
      entries: state.entries,
      prompts: state.prompts,
      files: state.files.length + state.filesForgotten,
      omitted: sieve.omitted,
    },
  };
}

/** Masks again, and keeps back what reads like an order in text that the person did not write. Counts what it keeps back. */
class Sieve {
  readonly #masker: Masker;
  omitted = 0;
  constructor(masker: Masker) {
    this.#masker = masker;
  }
  own(text: string): string {
    return this.#masker.mask(text).text;
  }
  /** One line of somebody else's. */
  foreign(text: string): string {
    const masked = this.own(text);
    if (!isInstructionLike(masked)) return masked;
    this.omitted++;
    return omission('the transcript');
  }
  passage(text: string, source: string): string {
    const { text: out, omitted } = collapseInstructions(this.own(text), source);
    this.omitted += omitted;
    return out;
  }
  /** Statements of the agent's or the person's; one of the agent's that reads like an order is dropped whole. */
  statements(notes: readonly Note[]): readonly Statement[] {
    const out: Statement[] = [];
    for (const note of notes) {
      const text = this.own(note.text);
      if (note.trust !== 'user' && isInstructionLike(text)) this.omitted++;
      else out.push({ text: inlineText(text), entries: note.entries, trust: note.trust });
    }
    return out;
  }
}

function substanceOf(state: BatonState): Pick<Baton, 'substance' | 'reason'> {
  if (state.prompts === 0 && state.answers === 0 && state.actions === 0)
    return { substance: 'none', reason: 'The thread has no prompt and no answer.' };
  if (state.summary !== null || (state.actions > 0 && state.answers + state.prompts > 0))
    return { substance: 'enough', reason: null };
  // A prompt that nobody answered is enough: a quota that ends at the first prompt is what people hand over for.
  if (state.goal === null || isTrivial(state.goal.text))
    return { substance: 'thin', reason: 'No prompt of this thread asks for anything.' };
  return { substance: 'enough', reason: null };
}

function threadOf(thread: BatonThread, sieve: Sieve): BatonThread {
  const plain = (text: string): string =>
    sieve.foreign(cleanSpan(text, 200, { mask: (value) => ({ text: sieve.own(value), count: 0 }), learn: () => undefined }));
  return {
    ...thread,
    title: plain(thread.title),
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

function failedOf(failure: FailureNote, sieve: Sieve): FailedStatement {
  const masked = sieve.own(failure.text);
  const base = { kind: failure.kind, entries: failure.entries, times: failure.times, resolved: failure.resolved };
  if (failure.kind === 'refused') return { ...base, text: `The person refused: “${inlineText(masked)}”`, trust: 'user' };
  const text = masked.includes('[instruction-like') ? masked : sieve.foreign(failure.text);
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
      return { ...base, text, trust: failure.trust };
  }
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
export function sourceName(trust: Trust): string {
  switch (trust) {
    case 'web':
      return 'a web page';
    case 'chat':
      return 'a chat message';
    case 'harness':
      return 'the harness';
    case 'user':
    case 'model':
    case 'loom':
    case 'tool':
      return 'tool output';
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

function pointerOf(state: BatonState, thread: BatonThread): readonly Statement[] {
  const natives = thread.native.map((native) => `${harnessNames[native.harness]} session ${codeSpan(native.id)}`);
  const range = state.entries === 0 ? [] : [state.firstEntry, state.lastEntry];
  return [
    {
      text: `Whole history: ${codeSpan(`loom show ${thread.id}`)} (${state.entries} entries${natives.length > 0 ? `; ${natives.join(', ')}` : ''})`,
      entries: range,
      trust: 'loom',
    },
    ...state.handoffs.map((note): Statement => ({ text: `Carried before: ${note.text}`, entries: note.entries, trust: 'loom' })),
  ];
}
