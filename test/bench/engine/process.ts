/**
 * One workload on one backend in this process; its figures as a line of JSON. `process.ts WORKLOAD BACKEND FOLDER SCALE MODE [TRACE]`:
 * `timed` measures; `counted` counts queries and writes the batches to TRACE; `plain` does the batches of TRACE the plain way.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Engine } from '../../../server/engine/engine.ts';
import { agentKinds, entryKinds } from './agent-kinds.ts';
import type { Message, Provider } from './agent-kinds.ts';
import { Backends, bytesOf } from './backends.ts';
import type { BackendName, Store } from './backends.ts';
import { Counter } from './counting.ts';
import type { Counts } from './counting.ts';
import { Meter } from './meter.ts';
import type { Measured } from './meter.ts';
import { plainBatches, runPlainWay } from './plain.ts';
import type { PlainBatch, PlainTold } from './plain.ts';
import type { Bench, Opened, Outcome } from './workload.ts';
import { workloads } from './workloads.ts';

export type Mode = 'timed' | 'counted' | 'plain';
export interface Told extends Outcome, Measured {
  readonly counts: Counts | null;
  readonly diskBytes: number;
  /** Once the session is closed: what a log or a scratch held is settled. */
  readonly restBytes: number;
}

async function runWorkload(name: string, backend: BackendName, folder: string, scale: number, counter?: Counter): Promise<Told> {
  const workload = workloads.find((one) => one.name === name);
  if (workload === undefined) throw new Error(`there is no workload ${name}`);
  const meter = new Meter((measuring) => {
    if (counter !== undefined) counter.counting = measuring;
  });
  const backends = new Backends(backend, folder, counter);
  const open = new Map<string, { readonly store: Store; readonly engine: Engine<Message> }>();
  const close = async (session: string): Promise<void> => {
    const opened = open.get(session);
    open.delete(session);
    await opened?.engine.close();
    opened?.store.close();
  };
  const bench: Bench = {
    meter,
    close,
    size: (full) => Math.max(1, Math.round(full * scale)),
    openStore: () => backends.open(),
    resident: (session) => (backend === 'memory' ? null : residentOf(backend, folder, session)),
    async open(provider: Provider, session = 'session'): Promise<Opened> {
      await close(session);
      const kinds = agentKinds(provider);
      const started = performance.now();
      const store = backends.open();
      const engine = await Engine.open<Message>(store.session(session), { entryKinds, taskKinds: kinds.all, report: fail });
      const root = await engine.root();
      const ms = performance.now() - started;
      open.set(session, { store, engine });
      return { engine, root, kinds, ms };
    },
  };
  const outcome = await workload.run(bench);
  const diskBytes = bytesOf(folder);
  meter.idle();
  for (const session of open.keys()) await close(session);
  return { ...outcome, ...(await meter.end()), counts: counter?.counts ?? null, diskBytes, restBytes: bytesOf(folder) };
}

function residentOf(backend: BackendName, folder: string, session: string): number {
  const program = path.join(import.meta.dirname, 'resident.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, backend, folder, session], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return Number(stdout) / 1e6;
}

/** A benchmark of a failure would be a lie. */
function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

const [name = '', backend = 'sqlite', folder = '', scale = '1', mode = 'timed', trace = ''] = process.argv.slice(2) as [
  string?,
  BackendName?,
  string?,
  string?,
  Mode?,
  string?,
];
switch (mode) {
  case 'plain':
    tell(runPlainWay(backend, folder, JSON.parse(fs.readFileSync(trace, 'utf8')) as readonly PlainBatch[]));
    break;
  case 'counted': {
    const counter = new Counter();
    const told = await runWorkload(name, backend, folder, Number(scale), counter);
    fs.writeFileSync(trace, JSON.stringify(plainBatches(counter.batches)));
    tell(told);
    break;
  }
  case 'timed':
    tell(await runWorkload(name, backend, folder, Number(scale)));
    break;
}

function tell(figures: Told | PlainTold): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
