/**
 * A session's files brought to another storage version (engine specification 6.5), batch by batch, with their sequence numbers. The order of
 * durability: the new main file is written beside the old one, new scratch files into a folder that names the version; the old main file is
 * copied to `<file>.bak`; then one rename puts the new one in its place, which is the migration. The folder of scratch follows, and when a
 * crash comes between the two, opening sees that the session has the folder's version and lets it follow then.
 */
import path from 'node:path';
import { MemoryRecords } from '../memory/records.ts';
import { prepare } from '../memory/prepare.ts';
import { publish } from '../memory/publish.ts';
import { MigrationPath } from '../migration.ts';
import type { Migration } from '../migration.ts';
import type { DecodedLine } from './decode.ts';
import { batchLine, headerLine } from './encode.ts';
import { mappedBatch } from './map-batch.ts';
import type { Files } from './files.ts';
import { LogFile } from './log-file.ts';
import { previousIn, readVersion, replayMain, replayScratch } from './replay.ts';
import { scratchFolder, ScratchFiles } from './scratch-files.ts';

export async function migrateFile(
  files: Files,
  file: string,
  from: string,
  to: string,
  migrations: readonly Migration[],
): Promise<void> {
  const found = readVersion(files, file);
  if (found === undefined) return;
  const steps = new MigrationPath(migrations, from, to, found);
  finishMigration(files, file, found);
  const [next, nextScratch] = [`${file}.next`, scratchOf(file, to)];
  files.remove(next);
  files.removeFolder(nextScratch);

  const [old, records] = [new MemoryRecords(from), new MemoryRecords(to)];
  await written(files, next, headerLine(to), records, (onBatch) => replayMain(old, files, file, onBatch), old, steps);
  const scratch = new ScratchFiles(files, scratchFolder(file), 'never');
  for (const task of scratch.stored.filter((id) => old.tasks.isLive(id))) {
    const target = path.join(nextScratch, String(task));
    const replay = (onBatch: OnBatch): unknown => replayScratch(old, files, scratch.fileOf(task), task, onBatch);
    await written(files, target, '', records, replay, old, steps);
  }

  files.copy(file, `${file}.bak`);
  files.rename(next, file);
  files.syncFolder(path.dirname(file));
  finishMigration(files, file, to);
}

/** What a migration to the version that the session has may have left to do. */
export function finishMigration(files: Files, file: string, version: string): void {
  const arrived = scratchOf(file, version);
  if (files.size(arrived) === undefined) return;
  files.removeFolder(scratchFolder(file));
  files.rename(arrived, scratchFolder(file));
}

const linesAtOnce = 1000;

type OnBatch = (line: DecodedLine) => void;

async function written(
  files: Files,
  target: string,
  header: string,
  records: MemoryRecords,
  replay: (onBatch: OnBatch) => unknown,
  old: MemoryRecords,
  steps: MigrationPath,
): Promise<void> {
  const lines = [header];
  replay(({ first, batch }) => {
    records.lastSeq = first - 1;
    const prepared = prepare(records, mappedBatch(batch, old, steps));
    lines.push(batchLine(prepared, previousIn(records, batch.kind === 'scratch')));
    publish(records, prepared);
  });
  const log = new LogFile(files, target, 'discarded', 'never');
  try {
    for (let i = 0; i < lines.length; i += linesAtOnce) await log.append(lines.slice(i, i + linesAtOnce).join(''));
    await log.sync();
  } finally {
    log.close();
  }
}

function scratchOf(file: string, version: string): string {
  return `${scratchFolder(file)}.${encodeURIComponent(version)}`;
}
