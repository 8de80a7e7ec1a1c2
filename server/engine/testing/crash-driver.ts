/**
 * A process that drives tasks until nothing is live or it is killed. Each task notes in a log what is called and that its effect began and
 * ended, before and after the commits between which it stands. Arguments: the session's file, the log's, and the process's number.
 */
import fs from 'node:fs';
import { Engine } from '../engine.ts';
import type { TaskKind } from '../kinds.ts';
import { SqliteStore } from '../sqlite/store.ts';
import { entryKinds } from './kinds.ts';
import { openFile } from './session.ts';

const [file = '', logFile = '', run = ''] = process.argv.slice(2);
const log = fs.openSync(logFile, 'a');
const say = (what: string, id: number): void => void fs.writeSync(log, `${run} ${what} ${id}\n`);

interface State {
  /** How many follow it, one after the other. */
  readonly left: number;
}

const effect: TaskKind<State> = {
  kind: 'effect',
  initialStatus: 'planned',
  roles: { planned: 'start', running: 'inflight', done: 'terminal', interrupted: 'terminal' },
  async execute(task, context) {
    say('execute', task.id);
    await context.commit((tx) => tx.patch(task.id, { status: 'running' }));
    say('begin', task.id);
    await new Promise((resolve) => setTimeout(resolve, task.id % 4));
    say('end', task.id);
    await settle(task.id, 'done', task.state.left, context);
  },
  async recover(task, context) {
    say('recover', task.id);
    await settle(task.id, 'interrupted', task.state.left, context);
  },
  async abort(task, context) {
    await context.commit((tx) => tx.settle(task.id, 'interrupted'));
  },
};

async function settle(id: number, status: string, left: number, context: Parameters<typeof effect.execute>[1]): Promise<void> {
  await context.commit((tx) => {
    if (left > 0) tx.task(effect, { state: { left: left - 1 }, after: [id] });
    tx.settle(id, status);
  });
  process.stdout.write(`${id}\n`);
}

const engine = await Engine.open(new SqliteStore(openFile(file)).session('session'), { entryKinds, taskKinds: [effect] });
const root = await engine.root();
if (engine.tasks({ limit: 1 }).items.length === 0)
  await root.commit((tx) => {
    let last = 0;
    for (let i = 0; i < 24; i++)
      last = tx.task(effect, {
        state: { left: 5 },
        ...(i % 3 === 0 ? {} : { after: [last] }),
        ...(i % 4 === 0 ? { background: true } : {}),
      });
  });
await engine.drive();
await engine.close();
