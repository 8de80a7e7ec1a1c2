/**
 * Facts of the session that records carry beside their content. Only what changed is given out, and each fact by the rule
 * that makes it right: the first cwd and the newest, the earliest and the latest time, the first prompt that a person typed.
 */
import type { SessionFacts } from '../../contract/read.ts';
import type { Surface } from '../../contract/harness.ts';
import { field, filled, obj, oneLine, str } from '../../kit/fields.ts';
import { isUuid } from '../names.ts';
import type { Page } from './page.ts';
import { recordKey, type Row } from './row.ts';
import { cut, remember, type Facts } from './state.ts';

const titleLength = 200;

/** Takes over what is new or different; equal values are said once only. */
export function noteFacts(page: Page, facts: SessionFacts): void {
  const known = page.state.facts;
  const changed: Facts = {};
  for (const name of Object.keys(facts) as (keyof SessionFacts)[]) {
    if (facts[name] !== undefined && facts[name] !== known[name]) Object.assign(changed, { [name]: facts[name] });
  }
  if (Object.keys(changed).length === 0) return;
  Object.assign(known, changed);
  page.facts.push(changed);
}

/** What the envelope of every record of the tree says. */
export function noteEnvelope(page: Page, row: Row): void {
  const { state } = page;
  const { value } = row;
  const cwd = state.cowork ? undefined : filled(value, 'cwd');
  const branch = filled(value, 'gitBranch');
  const version = filled(value, 'version');
  const forked = str(obj(value, 'forkedFrom'), 'sessionId') ?? str(value, 'requestSessionId');
  noteFacts(page, {
    ...(cwd === undefined ? {} : { cwd, ...(state.facts.startCwd === undefined ? { startCwd: cwd } : {}) }),
    // Outside a repository, and on a detached head, the program writes HEAD.
    ...(branch === undefined || branch === 'HEAD' ? {} : { branch: cut(branch, 250) }),
    ...(version === undefined ? {} : { programVersion: cut(version, 60) }),
    ...(forked !== undefined && isUuid(forked) && forked !== state.id && state.facts.forkedFrom === undefined && !state.child
      ? { forkedFrom: forked }
      : {}),
    ...surface(page, row),
  });
  noteTime(page, row.at);
}

export function noteTime(page: Page, at: number | null): void {
  if (at === null) return;
  const { createdAt, updatedAt } = page.state.facts;
  noteFacts(page, {
    ...(createdAt === undefined || at < createdAt ? { createdAt: at } : {}),
    ...(updatedAt === undefined || at > updatedAt ? { updatedAt: at } : {}),
  });
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

function surface(page: Page, row: Row): SessionFacts {
  const entrypoint = str(row.value, 'entrypoint');
  if (page.state.cowork) return { surface: 'cowork' };
  if (entrypoint === undefined) return {};
  const name = Object.hasOwn(surfaces, entrypoint) ? surfaces[entrypoint] : undefined;
  const byProgram = (name === 'sdk' && str(obj(row.value, 'origin'), 'kind') !== 'human') || scheduled(row, name);
  // A person who takes a program's session over makes it a person's.
  const automation = byProgram
    ? page.state.facts.automation !== false
    : name === 'cli' || name === 'editor' || name === 'desktop'
      ? false
      : undefined;
  return { surface: name ?? 'unknown', ...(automation === undefined ? {} : { automation }) };
}

/** `claude -p` started by the program itself, not by anyone who typed a prompt. */
function scheduled(row: Row, name: Surface | undefined): boolean {
  return (
    name === 'headless' && str(row.value, 'promptSource') === 'system' && str(row.value, 'turnOrigin') !== 'task_notification'
  );
}

/** A prompt that a person gave: the first one names the session when nothing better does. */
export function notePrompt(page: Page, text: string): void {
  const { state } = page;
  const line = oneLine(text, titleLength);
  if (state.typed || line === '') return;
  state.typed = true;
  noteFacts(page, { firstPrompt: line });
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
