/**
 * The to-do list at each moment that it was written. omp's `todo` gives the whole list, in phases, with each result that changed it (18.2);
 * an edit by the person is a `custom` record; tools of other names give a flat list, in their details or in the call.
 */
import type { PlanItem } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { arr, filled, objects, str } from '../../kit/fields.ts';
import { planItems } from '../../kit/plan-items.ts';
import type { OpenCall } from './state.ts';

/** Undefined: the result changed no plan. `facts`: its details. */
export function planAfter(call: OpenCall | undefined, facts: JsonObject | undefined): readonly PlanItem[] | undefined {
  if (str(facts, 'op') === 'view' || str(facts, 'action') === 'list') return undefined;
  return phasedPlan(facts) ?? flatPlan(facts) ?? call?.plan;
}

export function phasedPlan(facts: JsonObject | undefined): readonly PlanItem[] | undefined {
  if (arr(facts, 'phases') === undefined) return undefined;
  const phases = objects(facts, 'phases');
  const named = phases.length > 1;
  return phases.flatMap((phase) => {
    const name = filled(phase, 'name');
    return planItems(objects(phase, 'tasks'), named && name !== undefined ? `${name}: ` : '');
  });
}

/** The list in a call's arguments or in a result's details. */
export function flatPlan(value: JsonObject | undefined): readonly PlanItem[] | undefined {
  const name = ['todos', 'plan', 'items'].find((list) => objects(value, list).length > 0);
  return name === undefined ? undefined : planItems(objects(value, name));
}
