/**
 * Request keys (engine specification 3.4): a caller's own id for a commit, kept as a session value in the same batch. A lost
 * reply and a second try give the first try's result; the same id with other input is refused.
 */
import { createHash } from 'node:crypto';
import { sessionValue } from './address.ts';
import { Rejected } from './errors.ts';
import type { Json } from './records.ts';
import type { Tx } from './tx.ts';

interface Kept<T> {
  readonly input: string;
  readonly result: T;
}

/**
 * A plan that runs once for `requestId`. `input` is what the caller means by the request; it is compared by its digest, not
 * kept. Throws Rejected `keyReused` when the id was used for other input.
 */
export function keyed<T extends Json>(requestId: string, input: Json, plan: (tx: Tx) => T): (tx: Tx) => T {
  return (tx) => {
    const request = tx.value(sessionValue<Kept<T>>('engine.request', requestId));
    const digest = createHash('sha256').update(canonical(input)).digest('hex');
    const kept = request.get();
    if (kept !== undefined) {
      if (kept.input !== digest) throw new Rejected('keyReused', `request ${requestId} was made before with other input`);
      return kept.result;
    }
    const result = plan(tx);
    request.set({ input: digest, result });
    return result;
  };
}

/** JSON with the properties of objects in order, so that equal input has equal text. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
