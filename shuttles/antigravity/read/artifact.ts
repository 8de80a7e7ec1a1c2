/** An artifact: a list of tasks becomes a plan, a plan or a walkthrough stands as it was written. Each version is an entry of its own. */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { filled, num, str } from '../../kit/fields.ts';
import { noteFacts, noteTime, piece, writeBeside, type Page } from './page.ts';
import { cut, hash } from './state.ts';

export function readArtifact(page: Page, value: JsonObject, offset: number, length: number): void {
  const text = str(value, 'text') ?? '';
  const at = num(value, 'updatedAt') ?? null;
  const name = page.state.name;
  const items = name === 'task.md' || str(value, 'type') === 'ARTIFACT_TYPE_TASK' ? tasksIn(text) : [];
  const title = filled(value, 'summary') ?? headingIn(text);
  noteTime(page, at);
  // The first prompt, when there is one, was read before and stays.
  if (title !== undefined) noteFacts(page, { firstPrompt: cut(title, 400) });
  const origin = { offset, length, at, key: hash(text) };
  const shown = cut(`${name}\n\n${text}`, 100_000);
  writeBeside(
    page,
    origin,
    items.length > 0 ? piece('plan', { items }, 'model') : piece('notice', { level: 'info', code: 'info', text: shown }, 'model'),
  );
}

const states: Readonly<Record<string, PlanItem['status']>> = {
  x: 'completed',
  X: 'completed',
  '/': 'inProgress',
  ' ': 'pending',
};

function tasksIn(text: string): readonly PlanItem[] {
  return text.split('\n', 2000).flatMap((line) => {
    const [, mark, task] = /^\s{0,40}[-*] \[([xX/ ])\]\s+(\S.*)$/.exec(line.slice(0, 2000)) ?? [];
    const status = mark === undefined ? undefined : states[mark];
    return task === undefined || status === undefined ? [] : [{ text: task.trim(), status }];
  });
}

function headingIn(text: string): string | undefined {
  return /^#{1,3}\s+(\S[^\n]{0,300})/m.exec(text.slice(0, 4000))?.[1]?.trim();
}
