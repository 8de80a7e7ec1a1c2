/** Asks anew when the owner of the ledger ended before it answered: an owner that is a command ends when it is done, whatever others asked of it. */
import { OwnerLeft } from './seat.ts';

/** Owners that end one after the other. */
const mostAttempts = 5;

/** `ask`: nothing is done twice when it is asked twice. */
export async function askedAnew<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof OwnerLeft) || attempt === mostAttempts) throw error;
    }
}
