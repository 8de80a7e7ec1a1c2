/** What the one line of a tool says: name, title, and facts in the order in which they matter. */
import type { ActionDetails, FileChange } from '../../shuttles/contract/entry.ts';
import { duration } from '../amounts.ts';
import { oneLine } from '../plain-text.ts';
import { withoutAnsi } from './ansi.ts';
import type { ToolRow } from './rows.ts';

export interface ToolFacts {
  readonly name: string;
  readonly title: string;
  readonly outcome: 'ok' | 'failed' | 'denied' | 'interrupted' | 'open';
  /** "exit 1", "+12 −3", "denied", "8.2 s". */
  readonly facts: readonly string[];
  readonly files: readonly FileChange[];
  /** For a failure: the line of its output that most likely says why, else the last one. */
  readonly reason: string;
}

/** `cwd`: the thread's folder; names of files below it are shortened by it. */
export function toolFacts(row: ToolRow, cwd: string): ToolFacts {
  const { result } = row;
  const details: ActionDetails = result?.details ?? {};
  const outcome = outcomeOf(row);
  const files = details.files ?? [];
  const failed = outcome === 'failed' || outcome === 'denied';
  return {
    name: nameOf(row),
    title: oneLine(titleOf(row, cwd), 400),
    outcome,
    facts: [
      details.exitCode === undefined || (details.exitCode === 0 && !failed) ? '' : `exit ${details.exitCode}`,
      files.length === 0 ? '' : changed(files),
      outcome === 'denied'
        ? deniedBy(details)
        : outcome === 'interrupted'
          ? 'interrupted'
          : outcome === 'failed' && details.exitCode === undefined
            ? 'failed'
            : '',
      openWords(details),
      details.truncated === true ? 'shortened' : '',
      details.durationMs === undefined || details.durationMs < 1 ? '' : duration(details.durationMs),
    ].filter((fact) => fact !== ''),
    files,
    reason: failed ? tellingLine(result?.output ?? '') : '',
  };
}

export function isFailure(row: ToolRow): boolean {
  const outcome = outcomeOf(row);
  return outcome === 'failed' || outcome === 'denied';
}

/** "+12 −3", over all files. */
export function changed(files: readonly FileChange[]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `+${added} −${removed}`;
}

function outcomeOf(row: ToolRow): ToolFacts['outcome'] {
  const { result } = row;
  if (result === null) return 'open';
  const { status, exitCode } = result.details;
  if (status === 'denied' || status === 'interrupted') return status;
  if (result.isError || status === 'failed' || (exitCode !== undefined && exitCode !== 0)) return 'failed';
  return 'ok';
}

function nameOf(row: ToolRow): string {
  if (row.call !== null) return oneLine(row.call.name, 80);
  if (row.result?.kind === 'tool_result') return oneLine(row.result.name, 80);
  const action = row.result?.details.action;
  return action === undefined || action === 'other' ? 'Step' : (actionNames[action] ?? 'Step');
}

function deniedBy({ decision }: ActionDetails): string {
  return decision?.by === undefined ? 'denied' : `denied by ${oneLine(decision.by, 40)}`;
}

/** It has only begun, or not even that: its end is told when it comes. */
function openWords({ status, extra }: ActionDetails): string {
  if (status !== undefined) return '';
  if (extra?.['awaits'] === 'approval') return 'waits for approval';
  return extra?.['backgroundTask'] === undefined ? '' : 'in the background';
}

/** An edit is told by its files: what the harness was given may be the whole patch. */
function titleOf(row: ToolRow, cwd: string): string {
  const { call, result } = row;
  const details: ActionDetails = result?.details ?? {};
  const files = details.files ?? [];
  if (details.action === 'edit' && files.length > 0)
    return [...new Set(files.map((file) => shortened(file.path, cwd)))].join(', ');
  const answered = answeredQuestion(details);
  if (answered !== undefined) return answered;
  if (call !== null) return shortened(call.title, cwd);
  if (result?.kind === 'step') return result.title;
  return shortened(details.command ?? files[0]?.path ?? details.url ?? '', cwd);
}

/** One question and what the person said to it fit the line; of several, the line says what the call does. */
function answeredQuestion({ questions = [] }: ActionDetails): string | undefined {
  const [only] = questions;
  return questions.length === 1 && only?.answer !== undefined ? `${only.question} → ${only.answer}` : undefined;
}

const actionNames: Readonly<Record<string, string>> = {
  command: 'Command',
  edit: 'Edit',
  read: 'Read',
  search: 'Search',
  fetch: 'Fetch',
  webSearch: 'Web search',
  mcp: 'MCP',
  question: 'Question',
  agent: 'Subagent',
  plan: 'Plan',
  image: 'Image',
};

/** Only a title that is a path as a whole: within a command, a path may mean more than its name. */
function shortened(title: string, cwd: string): string {
  if (cwd.length < 2 || !title.startsWith(cwd)) return title;
  const rest = title.slice(cwd.length);
  return /^[\\/][^\s]/u.test(rest) ? rest.slice(1) : title;
}

/** Named errors first, then what test runners and compilers put before a failure; a count of failures says less than either. */
const telling: readonly RegExp[] = [
  /\b[A-Z]\w*(?:Error|Exception)\b|^\s*(?:error|fatal|panic)\b[^\n]*:/iu,
  /^\s*(?:[✖✗×●]|not ok\b|FAIL(?:ED)?\b)|\berror\b(?: [A-Z]*\d+)?\s*[:[]|: (?:command not found|No such file|Permission denied)/u,
];

/** What harnesses put around the output: the exit code stands in the line already. */
const exitLine = /^\(?(?:Exit code|Command exited with code) \d+\)?$/u;

function tellingLine(output: string): string {
  const text = withoutAnsi(output.length > 16_000 ? `${output.slice(0, 8000)}\n${output.slice(-8000)}` : output);
  const lines = text.split('\n').filter((line) => /[\p{L}\p{N}]/u.test(line) && !exitLine.test(line.trim()));
  for (const sign of telling) {
    const found = lines.find((line) => sign.test(line));
    if (found !== undefined) return oneLine(found, 160);
  }
  return oneLine(lines.at(-1) ?? '', 160);
}
