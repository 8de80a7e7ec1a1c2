/** `loom threads`: the list, newest first. */
import path from 'node:path';
import type { ThreadView } from '../../protocol/views.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { machineOf, thisSystem } from '../../../shuttles/kit/machine.ts';
import { isListed } from '../list.ts';
import { readHolders } from '../presence.ts';
import { ProjectFolders } from '../project-folder.ts';
import { ago, oneLine } from '../terminal.ts';
import { threadView } from '../thread-view.ts';
import { done, flag, harnessOption, isUsage, option } from './command.ts';
import type { Command } from './command.ts';

export const threadsCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, environment, now }) {
    const harness = harnessOption(parsed, 'harness');
    if (isUsage(harness)) return harness;
    const cwd = option(parsed, 'cwd');
    const folders = new ProjectFolders(environment.platform);
    const holders = readHolders(shuttles, environment, machineOf(environment.platform, thisSystem()));
    const threads = ledger
      .snapshot(() =>
        ledger.threads
          .newest(1_000_000)
          .filter((row) => isListed(row, flag(parsed, 'all')))
          .map((row) => threadView(ledger, row, holders, (folder) => folders.keyOf(folder))),
      )
      .filter(
        (thread) =>
          (harness === undefined || thread.native.some((native) => native.harness === harness)) &&
          (cwd === undefined || isIn(thread, cwd, folders)) &&
          (!flag(parsed, 'live') || thread.live),
      );
    if (flag(parsed, 'json')) terminal.json(threads);
    else if (threads.length === 0)
      terminal.line(
        ledger.threads.count() === 0 ? 'No threads. `loom doctor` says where sessions were looked for.' : 'No thread fits.',
      );
    else for (const thread of threads) terminal.line(lineOf(thread, now(), terminal.width));
    await Promise.resolve();
    return done;
  },
};

function isIn(thread: ThreadView, cwd: string, folders: ProjectFolders): boolean {
  return [cwd, path.resolve(cwd)].some(
    (folder) => thread.cwd === folder || (thread.project ?? thread.cwd) === folders.keyOf(folder),
  );
}

function lineOf(thread: ThreadView, now: number, width: number): string {
  const who = [...new Set(thread.native.map((native) => harnessNames[native.harness]))].join(' → ');
  const state = thread.live ? (thread.state === 'working' ? '●' : thread.state === 'waiting' ? '◐' : '○') : ' ';
  const head = `${thread.id} ${state} ${ago(thread.updatedAt, now).padStart(6)}  ${who.padEnd(11)} `;
  const marks = [
    thread.reading === true ? 'being read' : '',
    thread.automation ? 'automation' : '',
    thread.archived ? 'archived' : '',
    thread.sourceGone ? 'source gone' : '',
    thread.fidelity === undefined ? '' : fidelityMarks[thread.fidelity],
    thread.parent === null ? '' : `fork of ${thread.parent.thread.slice(0, 6)}`,
    driverOf(thread),
    thread.conflict === null ? '' : `conflict: ${harnessNames[thread.conflict.harness]} went on`,
    thread.stopped === null ? '' : thread.stopped.reason === 'limit' ? 'stopped at a limit' : 'failed',
  ];
  const turns = thread.turns === 0 ? '' : thread.turns === 1 ? '1 turn' : `${thread.turns} turns`;
  const tail = ` ${[turns, ...marks].filter((mark) => mark !== '').join(', ')}`;
  return `${head}${oneLine(thread.title, Math.max(20, width - head.length - tail.length))}${tail}`;
}

/** Who drives it now; of a thread that changed hands also who holds it while nobody has it open. */
function driverOf({ driver, lease, state }: ThreadView): string {
  if (driver !== null) {
    const process = driver.pid === null ? '' : ` (${driver.pid})`;
    return `${harnessNames[driver.harness]}${process} ${state === 'unknown' ? 'has it open' : state}`;
  }
  return lease === null ? '' : `held by ${harnessNames[lease.holder]}`;
}

const fidelityMarks = {
  transcript: 'from a transcript',
  truncated: 'truncated',
  artifacts: 'artifacts only',
  listed: 'not readable',
} as const;
