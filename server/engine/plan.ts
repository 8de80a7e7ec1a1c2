/** Runs a commit's closure and takes what it wrote; however it ends, the transaction cannot be written to afterwards. */
import { Rejected } from './errors.ts';

interface Builds<Write> {
  finish(): readonly Write[];
}

export function planned<Write, Construction extends Builds<Write>, T>(
  tx: Construction & Builds<Write>,
  plan: (tx: Construction) => T,
): { readonly result: T; readonly writes: readonly Write[] } {
  let result: T;
  let writes: readonly Write[];
  try {
    result = plan(tx);
  } finally {
    writes = tx.finish();
  }
  refusePromise(result, 'the closure of a commit');
  return { result, writes };
}

/** Throws Rejected `notSynchronous`; `what` returned it. */
export function refusePromise(result: unknown, what: string): void {
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return;
  Promise.resolve(result).catch(() => undefined);
  throw new Rejected('notSynchronous', `${what} must not return a promise`);
}
