/**
 * Program: makes the baton's state of a ledger's only thread, of which nothing is kept, in a process of its own that does nothing else, and
 * prints what it took. Argument: the ledger's folder, which is not changed.
 */
import { grownBaton } from '../../server/drive/kept-baton.ts';
import { Ledger } from '../../server/ledger/ledger.ts';

export interface FromNothing {
  readonly ms: number;
  /** Processor time, of helping threads too. */
  readonly cpuMs: number;
  readonly folded: number;
}

const [folder = ''] = process.argv.slice(2);
const ledger = Ledger.open(folder, { readonly: true, now: Date.now(), maySetAside: false });
const [thread] = ledger.threads.newest(1);
if (thread === undefined || ledger.batonStates?.place(thread.session, thread.current_conversation) !== undefined)
  throw new Error('The ledger has no thread, or its baton is kept already.');
const before = process.cpuUsage();
const started = performance.now();
const { folded } = await grownBaton(ledger, thread, { salt: 'salt' });
const ms = performance.now() - started;
const { user, system } = process.cpuUsage(before);
const found: FromNothing = { ms, cpuMs: (user + system) / 1000, folded };
process.stdout.write(JSON.stringify(found));
await ledger.close();
