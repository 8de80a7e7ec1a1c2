/**
 * Snapshots of a large worktree, through a window's requests: the first one beside `git add -A` into an empty repository, one after ten
 * files changed beside `git status` of the same moment, what the store grows by, a diff that is opened.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { deflateSync } from 'node:zlib';
import { Ledger } from '../../server/ledger/ledger.ts';
import type { WorktreeRow } from '../../server/ledger/snapshots-table.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { snapshotsOf } from '../../server/main/snapshots-of.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { Snapshots } from '../../server/world/snapshots.ts';
import { median, percentile } from './lines.ts';
import type { Line } from './lines.ts';
import { environment } from './program.ts';
import { timed, withSettledServer } from './settled-server.ts';
import { inFolder } from './temp-folder.ts';

export interface SnapshotFigures {
  readonly files: number;
  readonly mb: number;
  readonly addMs: number;
  readonly firstMs: number;
  readonly statusMs: readonly number[];
  readonly takeMs: readonly number[];
  readonly unchangedMs: readonly number[];
  /** Bytes that the store grew by a round, and those of what had changed, compressed file by file. */
  readonly grown: readonly number[];
  readonly compressed: readonly number[];
  /** The same of all rounds, and of as many more as there must be until the store is packed anew, once it has been. */
  readonly packedGrown: number;
  readonly allCompressed: number;
  readonly diffMs: readonly number[];
}

const rounds = 9;
const changedFiles = 10;

export function snapshotFigures(files: number): Promise<SnapshotFigures> {
  return inFolder(async (folder) => {
    const home = path.join(folder, 'home');
    const root = path.join(folder, 'shop');
    const ledger = path.join(folder, 'ledger');
    fs.mkdirSync(home);
    const mb = makeWorktree(root, files);
    const git = (variables: Readonly<Record<string, string>>, ...argv: readonly string[]): void => {
      execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.invalid', ...argv], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 1e9,
        env: { ...environment(home), GIT_CONFIG_NOSYSTEM: '1', ...variables },
      });
    };
    git({}, 'init', '-q');
    git({}, 'add', '-A');
    git({}, 'commit', '-qm', 'all');
    const beside = { GIT_DIR: path.join(folder, 'beside.git'), GIT_WORK_TREE: root };
    git({}, 'init', '-q', '--bare', beside.GIT_DIR);
    const addMs = await timed(() => Promise.resolve(git(beside, '-c', 'core.bare=false', 'add', '-A')));
    const firstMs = await withSettledServer(home, ledger, ({ server }) =>
      timed(() => server.request(requests.snapshotTake, { folder: root })),
    );
    const store = path.join(ledger, 'snapshots');
    // As the server's keeper does a minute later.
    await withSnapshots(home, ledger, (snapshots, worktree) => snapshots.tidy(worktree));
    const packedFirst = objectsIn(store);
    /** Answers the bytes of what it changed, compressed file by file. */
    const change = (round: number): number => {
      let bytes = 0;
      for (let n = 0; n < changedFiles; n++) {
        const file = path.join(root, nameOf((round * 997 + n * 131) % files));
        fs.appendFileSync(file, `changed in round ${round}: ${n}\n`);
        bytes += deflateSync(fs.readFileSync(file)).length;
      }
      return bytes;
    };
    const figures = await withSettledServer(home, ledger, async ({ server }) => {
      const take = (): Promise<unknown> => server.request(requests.snapshotTake, { folder: root });
      const [statusMs, takeMs, unchangedMs, diffMs]: [number[], number[], number[], number[]] = [[], [], [], []];
      const [grown, compressed]: [number[], number[]] = [[], []];
      let number = 1;
      for (let round = 0; round < rounds; round++) {
        compressed.push(change(round));
        const before = objectsIn(store);
        const status = async (): Promise<void> => {
          statusMs.push(await timed(() => Promise.resolve(git({}, 'status', '--porcelain'))));
        };
        if (round % 2 === 0) await status();
        takeMs.push(await timed(take));
        if (round % 2 === 1) await status();
        grown.push(objectsIn(store) - before);
        unchangedMs.push(await timed(take));
        diffMs.push(
          await timed(async () => {
            const diff = await server.request(requests.snapshotDiff, { before: number, after: number + 1 });
            if (diff.filesTotal !== changedFiles) throw new Error(`${diff.filesTotal} files differ, not ${changedFiles}`);
            const [first] = diff.files;
            for (const snapshot of [number, number + 1]) {
              const content = await server.request(requests.snapshotContent, { snapshot, path: first?.path ?? '' });
              if (!content.ok) throw new Error(content.reason);
            }
          }),
        );
        number += 2;
      }
      return { statusMs, takeMs, unchangedMs, grown, compressed, diffMs };
    });
    let allCompressed = sum(figures.compressed);
    await withSnapshots(home, ledger, async (snapshots, worktree) => {
      for (let round = rounds; objectsIn(store) - packedFirst < Math.max(packedFirst / 25, 1.2e6); round++) {
        allCompressed += change(round);
        await snapshots.take(root, { cause: 'asked' });
      }
      await snapshots.tidy(worktree);
    });
    return { files, mb, addMs, firstMs, ...figures, packedGrown: objectsIn(store) - packedFirst, allCompressed };
  });
}

/** In place: nobody else has the ledger. */
async function withSnapshots(
  home: string,
  folder: string,
  work: (snapshots: Snapshots, worktree: WorktreeRow) => Promise<unknown>,
): Promise<void> {
  const ledger = Ledger.open(folder, { readonly: false, now: Date.now(), maySetAside: false });
  try {
    const snapshots = snapshotsOf(ledger, environmentOf(home, {}, process.platform), process.env['PATH'] ?? '');
    const [worktree] = ledger.snapshots?.worktrees() ?? [];
    if (snapshots === undefined || worktree === undefined) throw new Error('The ledger has no snapshots.');
    await work(snapshots, worktree);
    await snapshots.settled();
  } finally {
    await ledger.close();
  }
}

export function snapshotLines(at: SnapshotFigures): readonly Line[] {
  return [
    { name: `first snapshot of ${at.files} files, ${at.mb.toFixed(0)} MB`, value: at.firstMs / 1000, unit: 's' },
    { name: 'the same to `git add -A` into an empty repository', value: at.firstMs / at.addMs, unit: 'x', goal: { most: 1.5 } },
    { name: 'snapshot after ten files changed, median', value: median(at.takeMs), unit: 'ms', goal: { most: 300 } },
    { name: 'the same, slowest of nine', value: percentile(at.takeMs, 1), unit: 'ms' },
    { name: '`git status` of the same moments, median', value: median(at.statusMs), unit: 'ms' },
    { name: 'snapshot to `git status`', value: median(at.takeMs) / median(at.statusMs), unit: 'x', goal: { most: 1.5 } },
    { name: 'snapshot of an unchanged worktree, median', value: median(at.unchangedMs), unit: 'ms' },
    {
      name: 'growth of the store to what changed, compressed: at once',
      value: sum(at.grown) / sum(at.compressed),
      unit: 'x',
      goal: { most: 1.25 },
    },
    {
      name: 'the same at rest, once the store is packed',
      value: at.packedGrown / at.allCompressed,
      unit: 'x',
      goal: { most: 1 },
    },
    { name: 'a diff opened: its files and both sides of one', value: median(at.diffMs), unit: 'ms', goal: { most: 200 } },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

function nameOf(n: number): string {
  return path.join(`part-${n % 40}`, `area-${n % 23}`, `module-${n}.ts`);
}

/** Text of no great surprise, as code is: about 20 KB a file. Answers the megabytes. */
function makeWorktree(root: string, files: number): number {
  const words = Array.from({ length: 2000 }, (_, n) => `word${((n * 2_654_435_761) % 99_991).toString(36)}`);
  let seed = 7;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  let bytes = 0;
  for (let n = 0; n < files; n++) {
    const lines: string[] = [];
    for (let size = 0; size < 20_000;) {
      const line = `${'  '.repeat(next() % 4)}${Array.from({ length: 7 }, () => words[next() % words.length]).join(' ')}\n`;
      lines.push(line);
      size += line.length;
    }
    const file = path.join(root, nameOf(n));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const text = lines.join('');
    fs.writeFileSync(file, text);
    bytes += text.length;
  }
  return bytes / 1e6;
}

/** Bytes of all objects below. */
function objectsIn(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes(`${path.sep}objects`))
    .reduce((bytes, entry) => bytes + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
