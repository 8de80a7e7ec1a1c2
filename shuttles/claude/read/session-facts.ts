/**
 * Facts of the session that records carry beside their content. Only what changed is given out, and each fact by the rule
 * that makes it right: the first cwd and the newest, the earliest and the latest time, the first prompt that a person typed.
 */
import type { SessionFacts } from '../../contract/read.ts';
import type { Surface } from '../../contract/harness.ts';
import { field, filled, obj, oneLine, str } from '../../kit/fields.ts';
import { promptFact, titleLength } from '../../kit/title.ts';
import { isUuid } from '../names.ts';
import type { Page } from './page.ts';
import { recordKey, type Row } from './row.ts';
import { cut, remember } from './state.ts';

/** Takes over what is new or different; equal values are said once only. */
export function noteFacts(page: Page, facts: SessionFacts): void {
  for (const name of Object.keys(facts) as (keyof SessionFacts)[]) note(page, name, facts[name]);
}

function note<K extends keyof SessionFacts>(page: Page, name: K, value: SessionFacts[K]): void {
  if (value === undefined || value === page.state.facts[name]) return;
  page.state.facts[name] = value;
  page.facts[name] = value;
}

/** What the envelope of every record of the tree says. */
export function noteEnvelope(page: Page, row: Row): void {
  const { state } = page;
  const { value } = row;
  const cwd = state.cowork ? undefined : filled(value, 'cwd');
  if (cwd !== undefined) {
    if (state.facts.startCwd === undefined) note(page, 'startCwd', cwd);
    note(page, 'cwd', cwd);
  }
  // Outside a repository, and on a detached head, the program writes HEAD.
  const branch = filled(value, 'gitBranch');
  if (branch !== undefined && branch !== 'HEAD') note(page, 'branch', cut(branch, 250));
  const version = filled(value, 'version');
  if (version !== undefined) note(page, 'programVersion', cut(version, 60));
  if (state.facts.forkedFrom === undefined && !state.child) {
    const forked = str(obj(value, 'forkedFrom'), 'sessionId') ?? str(value, 'requestSessionId');
    if (forked !== undefined && forked !== state.id && isUuid(forked)) note(page, 'forkedFrom', forked);
  }
  noteSurface(page, row);
  noteTime(page, row.at);
}

export function noteTime(page: Page, at: number | null): void {
  if (at === null) return;
  const { createdAt, updatedAt } = page.state.facts;
  if (createdAt === undefined || at < createdAt) note(page, 'createdAt', at);
  if (updatedAt === undefined || at > updatedAt) note(page, 'updatedAt', at);
}

const surfaces: Readonly<Record<string, Surface>> = {
  cli: 'cli',
  'sdk-cli': 'headless',
  'sdk-ts': 'sdk',
  'sdk-py': 'sdk',
  'claude-vscode': 'editor',
  'claude-jetbrains': 'editor',
  'claude-desktop': 'desktop',
  'local-agent': 'cowork',
};

function noteSurface(page: Page, row: Row): void {
  if (page.state.cowork) return note(page, 'surface', 'cowork');
  const entrypoint = str(row.value, 'entrypoint');
  if (entrypoint === undefined) return;
  const name = Object.hasOwn(surfaces, entrypoint) ? surfaces[entrypoint] : undefined;
  note(page, 'surface', name ?? 'unknown');
  const byProgram = (name === 'sdk' && str(obj(row.value, 'origin'), 'kind') !== 'human') || scheduled(row, name);
  // A person who takes a program's session over makes it a person's.
  if (byProgram) note(page, 'automation', page.state.facts.automation !== false);
  else if (name === 'cli' || name === 'editor' || name === 'desktop') note(page, 'automation', false);
}

/** `claude -p` started by the program itself, not by anyone who typed a prompt. */
function scheduled(row: Row, name: Surface | undefined): boolean {
  return (
    name === 'headless' && str(row.value, 'promptSource') === 'system' && str(row.value, 'turnOrigin') !== 'task_notification'
  );
}

/** A prompt that a person gave: the first one that says something names the session when nothing better does. */
export function notePrompt(page: Page, text: string): void {
  const { state } = page;
  if (state.typed) return;
  const { line, names } = promptFact(text);
  if (line === '' || (!names && state.facts.firstPrompt !== undefined)) return;
  state.typed = names;
  // 2.0 starts its kinds of subagents once with this word, for the cache; no work is done in them.
  noteFacts(page, { firstPrompt: line, ...(state.child && line === 'Warmup' ? { automation: true } : {}) });
}

/**
 * A slash command that the program expanded into a prompt is a prompt too. Local commands (`/model`, `/clear`) are not
 * expanded, so they never are.
 */
export function noteCommand(page: Page, row: Row, text: string): void {
  const { state } = page;
  const name = /<command-name>(\/[^<]{1,200})<\/command-name>/.exec(text)?.[1];
  if (name !== undefined) {
    const args = /<command-args>([^<]{0,2000})<\/command-args>/.exec(text)?.[1] ?? '';
    state.command = { key: row.key, text: oneLine(`${name} ${args}`, titleLength) };
    return;
  }
  const command = state.command;
  const expanded =
    command !== null && row.parent === command.key && row.value['isMeta'] === true && !text.trimStart().startsWith('<');
  if (!expanded || state.typed) return;
  state.typed = true;
  noteFacts(page, { firstPrompt: command.text });
}

/** Titles stand in records of their own, repeated many times: the last one holds. */
export function noteTitle(page: Page, row: Row): void {
  const { state } = page;
  switch (row.type) {
    case 'custom-title': {
      const title = filled(row.value, 'customTitle');
      if (title !== undefined) noteFacts(page, { customTitle: oneLine(title, titleLength) });
      return;
    }
    case 'ai-title': {
      const title = filled(row.value, 'aiTitle');
      if (title !== undefined) noteFacts(page, { generatedTitle: oneLine(title, titleLength) });
      return;
    }
    case 'summary': {
      const [title, leaf] = [filled(row.value, 'summary'), str(row.value, 'leafUuid')];
      if (title === undefined || leaf === undefined) return;
      remember(state, 'summaries', { leaf: recordKey(state.id, leaf), text: oneLine(title, titleLength) });
      return;
    }
    default:
  }
}

/** Old versions wrote the summaries of other sessions into a new file: one counts only when its leaf is in this file. */
export function noteSummaryLeaf(page: Page, row: Row): void {
  const found = page.state.summaries.find((item) => item.leaf === row.key);
  if (found !== undefined && page.state.facts.generatedTitle === undefined) noteFacts(page, { generatedTitle: found.text });
}

export function noteMoved(page: Page, row: Row): void {
  const moved = filled({ cwd: field(row.value, 'relocatedCwd') }, 'cwd');
  if (moved !== undefined && !page.state.cowork) noteFacts(page, { cwd: moved });
}
