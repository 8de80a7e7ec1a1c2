/**
 * Results and steps: what was run and how it ended, what was changed and taken back, what was asked and denied. Everything
 * that a program put out is data: single lines as code spans, the rest for the last turns to quote.
 */
import type { ActionDetails, StepContent, ToolResultContent, Trust } from '../../shuttles/contract/entry.ts';
import { failedAction } from './action.ts';
import type { Action } from './action.ts';
import type { BatonState, CheckNote, OpenCall } from './baton-state.ts';
import { limits, withNotes } from './baton-state.ts';
import { clip, clipMiddle } from './clean-text.ts';
import { checkKind, isRevert, plainCommand } from './command-line.ts';
import { withoutCutWord } from './cut-title.ts';
import { withFailure, withSuccess } from './failure.ts';
import { withRecent } from './fold-prompt.ts';
import type { Masker } from './mask.ts';
import { countsFailures, errorLine, resultLine } from './output-line.ts';
import { cleanSpan, cleanWindow, textOfBlocks } from './passage.ts';
import { codeSpan } from './quote.ts';
import { withFiles } from './fold-file.ts';
import { withProcesses } from './fold-process.ts';
import { questionNote } from './fold-question.ts';
import { relativePath } from './thread-path.ts';

export function foldResult(
  state: BatonState,
  entry: number,
  content: ToolResultContent,
  at: number | null,
  trust: Trust,
  masker: Masker,
): BatonState {
  const call = state.open.find((open) => open.id === content.toolCallId);
  const details = content.details ?? {};
  const rest = { ...state, open: state.open.filter((open) => open !== call) };
  const made = action(
    call,
    cleanSpan(content.toolName ?? '', 80, masker),
    details,
    cleanWindow(textOfBlocks(content.content), masker),
    content.isError,
    at,
    entry,
    trust,
    masker,
  );
  return foldAction(rest, { ...made, title: relativePath(made.title, state.cwd) }, masker);
}

export function foldStep(
  state: BatonState,
  entry: number,
  content: StepContent,
  at: number | null,
  trust: Trust,
  masker: Masker,
): BatonState {
  // The title of a command or a search names it already.
  const name = content.details.action === 'edit' || content.details.action === 'read' ? content.details.action : '';
  const made = action(
    undefined,
    '',
    content.details,
    cleanWindow(content.output ?? '', masker),
    content.isError,
    at,
    entry,
    trust,
    masker,
  );
  return foldAction(
    { ...state, actions: state.actions + 1 },
    { ...made, name, title: relativePath(made.title || cleanSpan(withoutCutWord(content.title), 240, masker), state.cwd) },
    masker,
  );
}

function action(
  call: OpenCall | undefined,
  name: string,
  details: ActionDetails,
  output: string,
  isError: boolean,
  at: number | null,
  entry: number,
  trust: Trust,
  masker: Masker,
): Action {
  const command = details.command === undefined ? (call?.command ?? '') : cleanSpan(details.command, 1000, masker);
  const title = command || call?.title || cleanSpan(details.url ?? details.files?.[0]?.path ?? '', 240, masker);
  const entries = call === undefined ? [entry] : [call.entry, entry];
  return {
    name: call?.name ?? name,
    title,
    command: plainCommand(command),
    line: command,
    path: call?.path ?? '',
    sides: () => call?.sides ?? [],
    output,
    isError,
    details,
    at,
    entry,
    entries,
    trust,
  };
}

function foldAction(state: BatonState, did: Action, masker: Masker): BatonState {
  let next = withQuestions(state, did, masker);
  const { status } = did.details;
  if (did.details.decision?.allowed === false || status === 'denied') {
    const by = did.details.decision?.by;
    next = withFailure(next, {
      kind: 'denied',
      text: `${what(did)} was denied${by === undefined ? '' : ` by ${cleanSpan(by, 40, masker)}`}`,
      entries: did.entries,
      trust: 'user',
      command: did.command,
      score: 3,
    });
  } else if (failedAction(did)) next = withFailedAction(next, did);
  else if (did.command !== '') next = withSuccess(next, did.command, did.entry);
  if (status !== 'denied') next = withFiles(withProcesses(withCheck(next, did), did), did, masker);
  if (did.command !== '' && !did.isError && isRevert(did.command)) {
    next = withFailure(next, {
      kind: 'reverted',
      text: `Work was taken back with ${codeSpan(clip(did.command, 200))}`,
      entries: did.entries,
      trust: 'model',
      command: '',
      score: 3,
    });
  }
  const source = `${did.name === '' || did.command !== '' ? '' : `${did.name} `}${clip(did.title, 160)}${ending(did)}`;
  const text = clipMiddle(did.output.trim(), limits.toolText);
  const trust = did.trust === 'user' ? 'tool' : did.trust;
  return { ...next, recent: withRecent(next.recent, { who: 'tool', text, source, trust, entry: did.entry, messageId: '' }) };
}

const what = (did: Action): string =>
  `${did.command === '' && did.name !== '' ? `${did.name} ` : ''}${codeSpan(clip(did.title || 'a call', 200))}`;

function ending(did: Action): string {
  if (did.details.status === 'denied') return ' (denied)';
  if (did.details.status === 'interrupted') return ' (interrupted)';
  if (did.details.exitCode !== undefined && did.details.exitCode !== 0) return ` (exit ${did.details.exitCode})`;
  return did.isError ? ' (failed)' : '';
}

function withFailedAction(state: BatonState, did: Action): BatonState {
  // A search that finds nothing exits 1 and is no failure worth a line.
  if (
    /^(?:rg|grep|egrep|ls|find|which|test|diff|git diff|git grep|cat|command -v)\b/.test(did.command) &&
    did.details.exitCode === 1
  )
    return state;
  const kind =
    did.command !== '' || did.details.action === 'command'
      ? 'command'
      : did.details.action === 'edit' || did.path !== ''
        ? 'edit'
        : 'tool';
  const line = errorLine(did.output);
  const end =
    did.details.status === 'interrupted'
      ? 'was interrupted'
      : did.details.exitCode !== undefined && did.details.exitCode !== 0
        ? `exited with ${did.details.exitCode}`
        : 'failed';
  return withFailure(state, {
    kind,
    text: `${what(did)} ${end}`,
    line: line === undefined ? '' : clip(line, 220),
    entries: did.entries,
    trust: 'tool',
    command: did.command,
    score: kind === 'tool' ? 1 : 2,
  });
}

function withCheck(state: BatonState, did: Action): BatonState {
  const kind = did.command === '' ? undefined : checkKind(did.command);
  if (kind === undefined) return state;
  const line =
    (kind === 'test' ? resultLine(did.output) : undefined) ??
    (failedAction(did) ? errorLine(did.output) : resultLine(did.output)) ??
    '';
  const failed = failedAction(did) || countsFailures(line);
  const check: CheckNote = {
    command: clip(did.command, 200),
    line: clip(line, 200),
    outcome: did.details.status === 'interrupted' ? 'interrupted' : failed ? 'failed' : 'passed',
    exitCode: did.details.exitCode ?? null,
    at: did.at,
    entry: did.entry,
  };
  return { ...state, checks: { ...state.checks, [kind]: check } };
}

function withQuestions(state: BatonState, did: Action, masker: Masker): BatonState {
  const asked = did.details.questions ?? [];
  if (asked.length === 0) return state;
  const isAnswered = (question: (typeof asked)[number]): boolean => question.answer !== undefined && question.answer !== '';
  const answered = asked.filter(isAnswered);
  const waiting = asked.filter((question) => !isAnswered(question)).slice(0, 8);
  const notes = answered.slice(0, 8).map((question) => ({
    text: `Asked “${cleanSpan(question.question, 200, masker)}”, the person answered “${cleanSpan(question.answer ?? '', 200, masker)}”`,
    entries: did.entries,
    trust: 'user' as const,
    score: 5,
    about: 'chosen' as const,
  }));
  return {
    ...state,
    decisions: withNotes(state.decisions, notes, limits.decisions),
    questions: withNotes(
      state.questions,
      waiting.map((question) => questionNote(cleanSpan(question.question, limits.note, masker), did.entry)),
      limits.questions,
    ),
  };
}
