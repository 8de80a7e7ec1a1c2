/**
 * What went wrong, in words for a person. The server answers an expected failure with a JSON-RPC error whose `data` is
 * `{ id, detail }` of a numbered fault; anything else is shown as its message.
 */
import { faults, type FaultId } from '../server/protocol/faults.ts';

export interface Trouble {
  /** null: no numbered fault. */
  readonly id: FaultId | null;
  /** One or two whole sentences. */
  readonly text: string;
  /** What the person can do; '' when nothing is known. */
  readonly fix: string;
}

export function troubleOf(error: unknown): Trouble {
  const data = fieldOf(error, 'data') ?? error;
  const id = fieldOf(data, 'id');
  if (typeof id === 'string' && isFault(id)) {
    const detail = fieldOf(data, 'detail');
    const known = faults[id];
    return { id, text: `${known.message} ${typeof detail === 'string' ? detail : ''}`.trim(), fix: known.fix };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { id: null, text: message === '' ? 'Something unexpected went wrong.' : message, fix: '' };
}

function isFault(id: string): id is FaultId {
  return Object.hasOwn(faults, id);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;
}
