/** Ends a conflict and kills itself: `node conflict-process.ts HOME LEDGER CHOICE STEP`, in the transaction (`settling`) or behind it. */
import { endConflict } from '../../server/drive/conflict.ts';
import { HomeLedger } from '../home-ledger.ts';
import { threadOf } from './read-home.ts';

const [home = '', folder = '', choice = '', last = ''] = process.argv.slice(2);

function reached(step: string): void {
  if (step === last) process.kill(process.pid, 'SIGKILL');
}

const ledger = new HomeLedger(home, {}, 'linux', { folder });
await endConflict(ledger.ledger, threadOf(ledger), choice === 'follow' ? 'follow' : 'keep', Date.UTC(2026, 11, 2), () =>
  reached('settling'),
);
reached('settled');
