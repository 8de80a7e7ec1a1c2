/** All workloads of the engine's benchmark (engine specification 10.3). */
import type { Workload } from './workload.ts';
import { background } from './workloads/background.ts';
import { children } from './workloads/children.ts';
import { compaction } from './workloads/compaction.ts';
import { forks } from './workloads/forks.ts';
import { history } from './workloads/history.ts';
import { queue } from './workloads/queue.ts';
import { sessions } from './workloads/sessions.ts';
import { streaming } from './workloads/streaming.ts';
import { turnWorkloads } from './workloads/turns.ts';

export const workloads: readonly Workload[] = [
  ...turnWorkloads,
  compaction,
  streaming,
  forks,
  children,
  background,
  queue,
  history,
  sessions,
];
