/**
 * A plan as programs write it: a list of tasks, each with a text and a status, under different names (`content` of to-do tools, `step` of
 * `update_plan`, `description` of Gemini). What was given up is no part of the plan; what waits for something is still to be done.
 */
import type { PlanItem } from '../contract/entry.ts';
import type { JsonObject } from '../contract/json.ts';
import { bool, filled, str } from './fields.ts';

const mostItems = 200;
const longestText = 1000;
const names = ['content', 'step', 'text', 'description', 'subject', 'title', 'task'] as const;

/** `prefix`: a name that stands before each text, such as a phase's. */
export function planItems(tasks: readonly JsonObject[], prefix = ''): readonly PlanItem[] {
  return tasks.slice(0, mostItems).flatMap((task) => {
    const text = names.map((name) => filled(task, name)).find((found) => found !== undefined);
    const done = bool(task, 'done') ?? bool(task, 'completed');
    const status = done === true ? 'completed' : statusOf(str(task, 'status') ?? str(task, 'state'));
    if (text === undefined || status === undefined) return [];
    const waits = filled(task, 'blocker');
    const said = `${prefix}${text}${waits === undefined ? '' : ` (waits: ${waits})`}`;
    return [{ text: said.length <= longestText ? said : said.slice(0, longestText).toWellFormed(), status }];
  });
}

/** Undefined: it was given up. */
function statusOf(status: string | undefined): PlanItem['status'] | undefined {
  switch ((status ?? '').toLowerCase().replace(/[\s-]/g, '_')) {
    case 'completed':
    case 'complete':
    case 'done':
    case 'closed':
      return 'completed';
    case 'in_progress':
    case 'inprogress':
    case 'active':
      return 'inProgress';
    case 'abandoned':
    case 'cancelled':
    case 'canceled':
    case 'deleted':
      return undefined;
    default:
      return 'pending';
  }
}
