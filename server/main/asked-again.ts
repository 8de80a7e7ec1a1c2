/**
 * Asks for a hand-over once more when the owner of the ledger ended before it answered (L008), as a command does whose own work is done.
 * The next owner has taken back by then what was not finished; a thread that changed hands all the same is not handed over a second time.
 */
import { Fault } from '../protocol/faults.ts';

const mostTries = 5;

export interface Asking {
  /** How often the thread has changed hands, as the ledger says now. */
  readonly epoch: () => number | Promise<number>;
  /** Until there is an owner again, who has ended what the one before had left. */
  readonly settled: () => Promise<unknown>;
}

export async function askedAgain<T>(ask: () => Promise<T>, { epoch, settled }: Asking): Promise<T> {
  const before = await epoch();
  for (let tries = 1; ; tries++)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Fault) || error.id !== 'L008' || tries === mostTries) throw error;
      await settled();
      if ((await epoch()) !== before) throw error;
    }
}
