/**
 * Who owns the ledger and where it listens, in `owner.json` beside it. For display and for finding the socket only: it
 * outlives a killed owner, so it proves nothing; the lock does (ownership.ts).
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { count, filled, parseObject } from '../../shuttles/kit/fields.ts';
import { folderFault } from './folder-fault.ts';
import type { Owned } from './ownership.ts';
import { privateFile } from './platform.ts';

export interface OwnerRecord {
  readonly pid: number;
  /** Start of the process in the platform's own form; with the pid it names one process. "" where it cannot be told. */
  readonly start: string;
  readonly socket: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

const recordName = 'owner.json';

/** Replaces the record of an owner that is gone. Throws `Fault` L004 or L005. */
export function publishOwner(owned: Owned, record: OwnerRecord): void {
  const file = path.join(owned.folder, recordName);
  const temporary = `${file}.${record.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: privateFile });
    fs.renameSync(temporary, file);
  } catch (error) {
    throw folderFault(error, file);
  }
}

/** Before the release: a later owner's record is not ours to take away. */
export function withdrawOwner(owned: Owned): void {
  fs.rmSync(path.join(owned.folder, recordName), { force: true });
}

/** undefined: none, or none that can be read. */
export function readOwner(folder: string): OwnerRecord | undefined {
  const object = parseObject(read(path.join(folder, recordName)) ?? '');
  const pid = count(object, 'pid');
  const socket = filled(object, 'socket');
  if (pid === undefined || socket === undefined) return undefined;
  return { pid, start: filled(object, 'start') ?? '', socket, since: count(object, 'since') ?? 0 };
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
