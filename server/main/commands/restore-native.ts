/** `loom restore-native`: the native files of a thread, written out of the archive. */
import fs from 'node:fs';
import path from 'node:path';
import { findThread } from '../../ledger/lookup.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { restoreNative } from '../restore-native.ts';
import { plain } from '../terminal.ts';
import { done, flag, isUsage, oneThread, option } from './command.ts';
import type { Command } from './command.ts';

export const restoreNativeCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, environment, service }) {
    const name = oneThread(parsed);
    if (isUsage(name)) return name;
    const to = option(parsed, 'to');
    const inPlace = flag(parsed, 'in-place');
    if (to === '') return { usage: '--to takes a folder.' };
    if (to !== undefined && inPlace) return { usage: '--to and --in-place exclude each other.' };
    const thread = findThread(ledger, name);
    // What an older Loom read may not be archived yet.
    await service?.archive();
    const folder = inPlace ? null : path.resolve(to ?? newFolder(`loom-restored-${thread.id.slice(0, 8)}`));
    const { files, missing } = restoreNative(
      { ledger, shuttles, environment },
      { thread, folder, earlier: flag(parsed, 'earlier') },
    );
    if (flag(parsed, 'json')) terminal.json({ files, missing });
    else
      for (const file of files) {
        terminal.line(plain(file.path));
        terminal.line(terminal.dim(`  ${file.bytes} bytes, sha256 ${file.sha256}`));
      }
    for (const one of missing) terminal.note(`${one.path} ${one.reason}.`);
    return missing.length === 0 ? done : { status: 1 };
  },
};

/** In the current folder, under a name that nothing has. */
function newFolder(name: string): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`;
    if (fs.lstatSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate;
  }
}
