/**
 * Facts of the session that records carry beside their content. Only what changed is given out, and each fact by the rule that makes
 * it right: the header's time and folder, the newest time, the first prompt that a person typed.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { SessionFacts } from '../../contract/read.ts';
import { field, filled, isoTime, oneLine, str } from '../../kit/fields.ts';
import { promptFact, titleLength } from '../../kit/title.ts';
import type { Page } from './page.ts';
import { cut } from './state.ts';

export function noteFacts(page: Page, facts: SessionFacts): void {
  for (const name of Object.keys(facts) as (keyof SessionFacts)[]) note(page, name, facts[name]);
}

function note<K extends keyof SessionFacts>(page: Page, name: K, value: SessionFacts[K]): void {
  if (value === undefined || value === page.state.facts[name]) return;
  page.state.facts[name] = value;
  page.facts[name] = value;
}

/** Facts from beside the file come first: the records' own are better. */
export function noteTold(page: Page): void {
  if (page.state.told === null) return;
  noteFacts(page, page.state.told);
  page.state.told = null;
}

/** The header. A second one (a file that was glued together) says nothing about this session. */
export function noteHeader(page: Page, header: JsonObject): void {
  const { state } = page;
  if (state.hasHeader) return;
  state.hasHeader = true;
  const cwd = filled(header, 'cwd');
  if (cwd !== undefined) noteFacts(page, { startCwd: cwd, cwd });
  const at = isoTime(field(header, 'timestamp'));
  if (at !== null) noteFacts(page, { createdAt: at, updatedAt: Math.max(at, state.facts.updatedAt ?? 0) });
  if (parentPath(header) !== undefined) state.forkedAt = at;
  const title = filled(header, 'title');
  if (title !== undefined) noteFacts(page, { generatedTitle: oneLine(title, titleLength) });
}

/** What the header says that this session was forked from: a path; `branchedFrom` in the first versions; omp also writes an id. */
export function parentPath(header: JsonObject | undefined): string | undefined {
  return filled(header, 'parentSession') ?? filled(header, 'branchedFrom');
}

/** omp's slot in front of the header, which is written anew when the title changes. */
export function noteSlot(page: Page, slot: JsonObject): void {
  noteFacts(page, { programVersion: 'omp' });
  const title = filled(slot, 'title');
  if (title === undefined) return;
  const line = oneLine(title, titleLength);
  noteFacts(page, str(slot, 'source') === 'user' ? { customTitle: line } : { generatedTitle: line });
}

export function noteTime(page: Page, at: number | null): void {
  if (at === null) return;
  const { createdAt, updatedAt } = page.state.facts;
  if (updatedAt === undefined || at > updatedAt) note(page, 'updatedAt', at);
  // Copied records are older than the fork; a header says when it was made.
  if (!page.state.hasHeader && (createdAt === undefined || at < createdAt)) note(page, 'createdAt', at);
}

export function noteName(page: Page, name: string): void {
  noteFacts(page, { customTitle: oneLine(name, titleLength) });
}

/** A prompt that a person gave: the first one that says something names the session when nothing better does. */
export function notePrompt(page: Page, text: string): void {
  if (page.state.typed) return;
  const { line, names } = promptFact(text);
  if (line === '' || (!names && page.state.facts.firstPrompt !== undefined)) return;
  page.state.typed = names;
  note(page, 'firstPrompt', line);
}

/** 1.x tells the model its folder: that is all there is when a file lost its header. */
export function noteToldFolder(page: Page, section: string | undefined): void {
  const cwd = section === undefined ? undefined : /^<cwd>\n([^\n]{1,4000})\n<\/cwd>$/.exec(section.trim())?.[1];
  if (cwd === undefined || page.state.hasHeader || page.state.facts.cwd !== undefined) return;
  noteFacts(page, { startCwd: cut(cwd, 4000), cwd: cut(cwd, 4000) });
}
