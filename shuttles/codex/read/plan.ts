/** The to-do list at each moment that it was written: `update_plan` calls and, in legacy rollouts, `plan_update` events. */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { objects, str } from '../../kit/fields.ts';
import { hash } from './keys.ts';
import type { Reading } from './pen.ts';

export function planCall(reading: Reading, args: JsonObject): void {
  const items: readonly PlanItem[] = objects(args, 'plan').flatMap((item) => {
    const text = str(item, 'step') ?? str(item, 'text');
    return text === undefined ? [] : [{ text, status: statusOf(str(item, 'status')) }];
  });
  const digest = hash(JSON.stringify(items));
  if (items.length === 0 || reading.state.plan === digest) return;
  reading.state.plan = digest;
  reading.pen.entry('plan', { items }, 'model');
}

function statusOf(status: string | undefined): PlanItem['status'] {
  if (status === 'completed') return 'completed';
  return status === 'in_progress' || status === 'inProgress' ? 'inProgress' : 'pending';
}
