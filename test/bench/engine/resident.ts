/**
 * A process that opens a session of a folder, runs turns in it and tells what memory it then has, in bytes: `resident.ts BACKEND FOLDER
 * SESSION`. A process of its own, because one that made the session keeps what that took.
 */
import { Engine } from '../../../server/engine/engine.ts';
import { agentKinds, entryKinds, words } from './agent-kinds.ts';
import { Backends } from './backends.ts';
import type { BackendName } from './backends.ts';
import { collect } from './meter.ts';
import { collapse } from './workloads/compaction.ts';
import { script, turn } from './workloads/turns.ts';

const [backend = 'sqlite', folder = '', session = ''] = process.argv.slice(2) as [BackendName?, string?, string?];
const store = new Backends(backend, folder, undefined).open();
const kinds = agentKinds(script(['read']));
const engine = await Engine.open(store.session(session), { entryKinds, taskKinds: kinds.all });
const root = await engine.root();
for (let i = 0; i < 5; i++) {
  for (let k = 0; k < 20; k++) await turn({ engine, root, kinds, ms: 0 }, `${k}: ${words.slice(0, 120)}`);
  await collapse({ engine, root, kinds, ms: 0 });
}
collect();
process.stdout.write(String(process.memoryUsage.rss()));
await engine.close();
store.close();
