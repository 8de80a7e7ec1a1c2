/** What a change makes of a task's state (engine specification 5.1). */
import { stored } from './kinds.ts';
import type { Json } from './records.ts';

/** Only objects have properties to lay over: any other state is replaced, unless there is nothing to replace it with. */
export function merge(state: Json, changes: unknown): Json {
  if (!isObject(changes)) return stored(changes);
  // A spread defines properties: one called __proto__ stays a property.
  if (isObject(state)) return stored({ ...state, ...changes });
  return Object.keys(changes).length === 0 ? state : stored(changes);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
