/** For tests: a home's session files as the archive gives them back, against what they were. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Ledger } from '../../server/ledger/ledger.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { restoreNative } from '../../server/main/restore-native.ts';
import type { RestoreResult } from '../../server/protocol/requests.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';

export function sha256Of(file: string): string {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

/** Every file that the ledger read sessions from, with the logs of databases, by its path: the hash of what it holds now. */
export function sessionFiles(ledger: Ledger): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { path: file, native } of ledger.sources.all()) {
    if (native === null) continue;
    const held = partsOfHeld(file);
    const own = held !== undefined && ledger.sources.byPath(held.file) !== undefined ? held.file : file;
    for (const name of [own, `${own}-wal`]) if (fs.existsSync(name)) files.set(name, sha256Of(name));
  }
  return files;
}

export class Restored implements Disposable {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-restored-'));
  readonly missing: RestoreResult['missing'][number][] = [];
  /** Hash of each restored file on disk, by where it lay. */
  readonly files = new Map<string, string>();

  /** Each thread in a folder of its own, since several may share a container. */
  constructor(ledger: Ledger, home: string, earlier = false) {
    const environment = environmentOf(home, {}, 'linux');
    for (const thread of ledger.threads.newest(10_000)) {
      const folder = path.join(this.folder, thread.id);
      const { files, missing } = restoreNative({ ledger, shuttles, environment }, { thread, folder, earlier });
      this.missing.push(...missing);
      for (const file of files) {
        const hash = sha256Of(file.path);
        if (hash !== file.sha256 || fs.statSync(file.path).size !== file.bytes)
          throw new Error(`${file.path} is not what is told of it`);
        if (fs.statSync(file.path).mode % 0o100 !== 0) throw new Error(`${file.path} can be read by others`);
        this.files.set(file.from, hash);
      }
    }
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
