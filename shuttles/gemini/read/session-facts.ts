/** Facts of the session from its header, its updates and its messages. Only what changed is given out. */
import type { JsonObject } from '../../contract/json.ts';
import { field, filled, isoTime, strings } from '../../kit/fields.ts';
import { promptFact } from '../../kit/title.ts';
import type { Page } from './page.ts';
import { cut, type Facts } from './state.ts';

export function noteTold({ state, facts }: Page): void {
  if (state.told === null) return;
  Object.assign(facts, state.told);
  state.told = null;
}

export function noteFacts({ state, facts }: Page, found: Facts): void {
  for (const [name, value] of Object.entries(found) as [keyof Facts, never][]) {
    if (value === undefined || state.facts[name] === value) continue;
    state.facts[name] = value;
    facts[name] = value;
  }
}

/** Also for `$set`, whose members are those of the header. */
export function noteHeader(page: Page, header: JsonObject): void {
  const started = isoTime(field(header, 'startTime'));
  const updated = isoTime(field(header, 'lastUpdated'));
  const summary = filled(header, 'summary');
  const [folder] = strings(header, 'directories');
  noteFacts(page, {
    ...(started === null ? {} : { createdAt: started }),
    ...(updated === null ? {} : { updatedAt: Math.max(updated, page.state.facts.updatedAt ?? 0) }),
    ...(summary === undefined ? {} : { generatedTitle: cut(summary, 400) }),
    ...(folder === undefined || page.state.facts.startCwd !== undefined ? {} : { startCwd: cut(folder, 4000) }),
  });
}

export function noteTime(page: Page, at: number | null): void {
  if (at !== null && at > (page.state.facts.updatedAt ?? 0)) noteFacts(page, { updatedAt: at });
}

export function notePrompt(page: Page, typed: string): void {
  if (page.state.typed) return;
  const { line, names } = promptFact(typed);
  if (line === '' || (!names && page.state.facts.firstPrompt !== undefined)) return;
  page.state.typed = names;
  noteFacts(page, { firstPrompt: line });
}

/** The first folder of the workspace that the program told its model of. */
export function noteContext(page: Page, text: string): void {
  const folder = /\*\*Workspace Directories:\*\*\n {2}- ([^\n]{1,4000})\n/.exec(text.slice(0, 8000))?.[1];
  if (folder !== undefined && page.state.facts.startCwd === undefined) noteFacts(page, { startCwd: folder, cwd: folder });
}
