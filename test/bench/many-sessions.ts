/**
 * What it costs to watch over very many old sessions: the built server on a home of a thousand folders with a hundred session files each
 * and a ledger that knows them all. Resident memory and processor time of the settled server, its watches, and a full pass.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requests } from '../../server/protocol/requests.ts';
import { claudePrompt } from './claude-session.ts';
import { LiveServer } from './live-server.ts';
import { cpuMsOf, readOrEmpty, residentMbOf } from './process-facts.ts';
import { loomProgram, run } from './program.ts';
import { Words } from './words.ts';

export interface ManySessions {
  readonly files: number;
  /** Resident when nothing happens, beside the same server on a home without a session; null where the platform does not tell. */
  readonly restMb: number | null;
  readonly emptyMb: number | null;
  readonly peakMb: number | null;
  readonly watches: number | null;
  /** A pass over every file, as a person asks for it. */
  readonly fullPassMs: number;
  /** Processor time of the server in ten seconds in which nothing happens: some five sweeps. */
  readonly idleCpuMs: number | null;
  /** From the end of the write to the session's thread in a subscriber's list: one in a folder that is watched, one in a folder that is not. */
  readonly newInHotMs: number;
  readonly newInOldMs: number;
}

const idleMs = 10_000;

export async function manySessions(folders: number, filesEach: number): Promise<ManySessions> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bench-many-'));
  const none = path.join(home, 'none');
  fs.mkdirSync(none);
  try {
    const empty = await settled(none, path.join(home, 'empty-ledger'));
    const ledger = path.join(home, 'ledger');
    await prepare(home, ledger, folders, filesEach);
    const many = await settled(home, ledger);
    return { files: folders * filesEach, ...many, emptyMb: empty.restMb };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

const folderName = (index: number): string => `-home-user-p${String(index).padStart(4, '0')}`;

/**
 * All but one of the files hold no session: what is measured is the watching, and not the threads. The last folder's are the newest; a
 * session in it makes it one that is watched.
 */
async function prepare(home: string, ledger: string, folders: number, filesEach: number): Promise<void> {
  const root = path.join(home, '.claude/projects');
  const start = Date.now() / 1000 - folders * 3600;
  for (let f = 0; f < folders; f++) {
    const at = path.join(root, folderName(f));
    fs.mkdirSync(at, { recursive: true });
    for (let n = 0; n < filesEach; n++) {
      const file = path.join(at, `${String(f * filesEach + n).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`);
      fs.writeFileSync(file, f === folders - 1 && n === 0 ? promptRow(f * filesEach, start * 1000) : '\n');
      fs.utimesSync(file, start + f * 3600, start + f * 3600);
    }
  }
  await run([loomProgram, 'ingest', '--json', '--home', home, '--ledger', ledger], home);
}

async function settled(home: string, ledger: string): Promise<Omit<ManySessions, 'files' | 'emptyMb'>> {
  const server = new LiveServer(home, ledger);
  try {
    await server.initialize();
    await server.subscribe({ subscription: 'list', kind: 'threads', all: true });
    await server.request(requests.ingest, {});
    const began = performance.now();
    await server.request(requests.ingest, {});
    const fullPassMs = performance.now() - began;
    await delay(idleMs / 2);
    const before = cpuMsOf(server.pid);
    await delay(idleMs);
    const after = cpuMsOf(server.pid);
    const restMb = residentMbOf(server.pid);
    const watches = watchesOf(server.pid);
    const root = path.join(home, '.claude/projects');
    const names = fs.existsSync(root) ? fs.readdirSync(root).toSorted() : [];
    const [oldest = folderName(0)] = names;
    const newInHotMs = await seen(server, path.join(root, names.at(-1) ?? oldest), 1);
    const newInOldMs = await seen(server, path.join(root, oldest), 2);
    return {
      restMb,
      peakMb: await server.close(),
      watches,
      fullPassMs,
      idleCpuMs: before === null || after === null ? null : after - before,
      newInHotMs,
      newInOldMs,
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function promptRow(seed: number, at: number, id = new Words(seed).uuid()): string {
  return `${claudePrompt(new Words(seed), id, '/home/user/p', null, 'a new session', at).line}\n`;
}

/** A session that begins in the folder. */
async function seen(server: LiveServer, folder: string, n: number): Promise<number> {
  const id = `ffffffff-000${n}-4000-8000-000000000000`;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${id}.jsonl`), promptRow(n, Date.now(), id));
  const written = performance.now();
  await server.until(
    'list',
    (view) => view.kind === 'threads' && view.threads.some(({ native }) => native.some((one) => one.id === id)),
    90_000,
  );
  return performance.now() - written;
}

/** Linux: each watch of an inotify descriptor is a line of its own. */
export function watchesOf(pid: number | undefined): number | null {
  const folder = `/proc/${pid}/fdinfo`;
  if (process.platform !== 'linux') return null;
  return fs
    .readdirSync(folder)
    .reduce((sum, name) => sum + (readOrEmpty(path.join(folder, name)).match(/^inotify wd:/gm)?.length ?? 0), 0);
}
