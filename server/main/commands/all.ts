/** The commands by name. */
import { batonCommand } from './baton.ts';
import type { Command } from './command.ts';
import { conflictsCommand } from './conflicts.ts';
import { consentsCommand } from './consents.ts';
import { contextCommand } from './context.ts';
import { continueCommand } from './continue.ts';
import { doctorCommand } from './doctor.ts';
import { ingestCommand } from './ingest.ts';
import { restoreNativeCommand } from './restore-native.ts';
import { searchCommand } from './search.ts';
import { showCommand } from './show.ts';
import { snapshotCommand } from './snapshot.ts';
import { threadsCommand } from './threads.ts';

const all: Readonly<Record<string, Command>> = {
  ingest: ingestCommand,
  threads: threadsCommand,
  show: showCommand,
  context: contextCommand,
  search: searchCommand,
  baton: batonCommand,
  continue: continueCommand,
  conflicts: conflictsCommand,
  consents: consentsCommand,
  snapshot: snapshotCommand,
  'restore-native': restoreNativeCommand,
  doctor: doctorCommand,
};

export function commandOf(name: string): Command | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
