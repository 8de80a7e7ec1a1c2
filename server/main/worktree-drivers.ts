/** Which agents may be writing in a worktree now: read from live processes, never from what a transcript promises. */
import fs from 'node:fs';
import path from 'node:path';
import { activityOf } from '../drive/liveness.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { Snapshots } from '../world/snapshots.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { folderOf } from './thread-changes.ts';
import { harnessAndId } from './thread-view.ts';
import type { Holders } from './thread-view.ts';

/** Of a harness whose processes cannot be seen: a turn that is open and in which something was said since. Milliseconds. */
const recentMs = 60_000;

/** Each in one line: "Claude Code (process 4711) is working in thread ab12cd: Fix the cart". `unseen`: harnesses whose processes cannot be seen. */
export async function driversIn(
  root: string,
  ledger: Ledger,
  holders: Holders,
  snapshots: Snapshots,
  unseen: ReadonlySet<HarnessId>,
  now: number,
): Promise<readonly string[]> {
  const out: string[] = [];
  for (const [key, held] of holders) {
    const native = ledger.natives.byNativeId(...harnessAndId(key));
    const thread = native === undefined ? undefined : ledger.threads.byNumber(native.thread);
    if (native === undefined || thread === undefined || native.child_of !== null) continue;
    if (!(await isIn(root, folderOf(ledger, thread), snapshots))) continue;
    for (const holder of held) {
      const activity = activityOf(holder, thread.current_native === native.number ? thread.last_turn : null);
      if (activity === 'idle') continue;
      const process = holder.pid === null ? '' : ` (process ${holder.pid})`;
      const does = activity === 'unknown' ? 'has a session open, and whether it works cannot be told,' : `is ${activity}`;
      out.push(`${harnessNames[native.harness]}${process} ${does} in thread ${named(thread)}`);
    }
  }
  for (const thread of ledger.threads.newest(50)) {
    if (!unseen.has(thread.harness) || thread.last_turn !== 'started' || thread.updated_at < now - recentMs) continue;
    if (await isIn(root, folderOf(ledger, thread), snapshots))
      out.push(`${harnessNames[thread.harness]} has a turn open in thread ${named(thread)}`);
  }
  return out;
}

function named({ id, title }: ThreadRow): string {
  return `${id.slice(0, 8)}${title === '' ? '' : `: ${title.replaceAll(/\s+/gu, ' ').slice(0, 60)}`}`;
}

/** A folder below the root may be in a worktree of its own. */
async function isIn(root: string, folder: string, snapshots: Snapshots): Promise<boolean> {
  const real = realOf(folder);
  if (real === undefined || path.relative(root, real).startsWith('..') || path.isAbsolute(path.relative(root, real)))
    return false;
  const worktree = await snapshots.worktreeOf(real);
  return !('none' in worktree) && worktree.root === root;
}

function realOf(folder: string): string | undefined {
  try {
    return folder === '' ? undefined : fs.realpathSync.native(folder);
  } catch {
    return undefined;
  }
}
