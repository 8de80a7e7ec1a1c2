/** A window as its own process, for tests: what it said so far, and waiting for more. */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { Check } from '../../server/main/commands/doctor.ts';

export type Said = Record<string, unknown>;

export class Window {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  errors = '';
  #wake: (() => void)[] = [];

  /** `before`: a program and its arguments that then runs what follows; `uid`: as another person; `opens`: a thread that it shows. */
  constructor(
    home: string,
    ledger: string,
    { before = [], uid, opens }: { readonly before?: readonly string[]; readonly uid?: number; readonly opens?: string } = {},
  ) {
    const [program, ...args] = [...before, process.execPath, path.join(import.meta.dirname, 'window-process.ts'), home, ledger];
    if (opens !== undefined) args.push(opens);
    this.child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.child.stderr?.on('data', (data: Buffer) => (this.errors += data.toString()));
    let rest = '';
    this.child.stdout?.on('data', (data: Buffer) => {
      rest += data.toString();
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.said.push(JSON.parse(line) as Said);
      for (const wake of this.#wake.splice(0)) wake();
    });
    open.push(this);
  }

  /** The first thing said from `from` on that fits. Fails after 20 s. */
  async hears(fits: (said: Said) => boolean, from = 0): Promise<Said> {
    const end = Date.now() + 20_000;
    for (;;) {
      const found = this.said.slice(from).find(fits);
      if (found !== undefined) return found;
      if (Date.now() > end)
        throw new Error(`not heard; said: ${JSON.stringify(this.said).slice(-3000)} ${this.errors.slice(-2000)}`);
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        setTimeout(resolve, 500);
      });
    }
  }

  kill(signal: NodeJS.Signals): Promise<void> {
    return new Promise((resolve) => {
      this.child.once('close', () => resolve());
      this.child.kill(signal);
    });
  }
}

const open: Window[] = [];

/** After each test. */
export async function closeWindows(): Promise<void> {
  for (const window of open.splice(0))
    if (window.child.exitCode === null && window.child.signalCode === null) await window.kill('SIGKILL');
}

export const isView = (said: Said): boolean => 'view' in said;
export const tells =
  (text: string) =>
  (said: Said): boolean =>
    'events' in said && JSON.stringify(said['events']).includes(text);

interface Faults {
  readonly id: string;
  readonly message: string;
  readonly fix: string;
}
/** The faults that a view or an event of faults shows; undefined: it is about something else. */
export function faultsIn(said: Said): readonly Faults[] | undefined {
  const view = said['view'] as { faults?: readonly Faults[] } | undefined;
  if (view !== undefined) return view.faults;
  const events = (said['events'] ?? []) as readonly { type: string; faults?: readonly Faults[] }[];
  return events.find((event) => event.type === 'faults')?.faults;
}
export const hasFault =
  (id: string) =>
  (said: Said): boolean =>
    faultsIn(said)?.some((fault) => fault.id === id) === true;
export const lacksFault =
  (id: string) =>
  (said: Said): boolean =>
    faultsIn(said)?.every((fault) => fault.id !== id) === true;

/** What `loom doctor` finds beside the windows. */
export function doctor(home: string, ledger: string): readonly Check[] {
  const program = path.join(import.meta.dirname, '../../server/main/loom.ts');
  const ran = spawnSync(process.execPath, [program, 'doctor', '--json', '--home', home, '--ledger', ledger], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME: home },
  });
  if (ran.status !== 0) throw new Error(`loom doctor ended with ${ran.status}: ${ran.stderr}`);
  return (JSON.parse(ran.stdout) as { checks: readonly Check[] }).checks;
}
/** Of a check that is not well, which must say what to do. */
export function finding(checks: readonly Check[], id: string): Check | undefined {
  return checks.find((check) => check.id === id && !check.ok && check.fix !== '');
}
