/** A planted session's home, written in its harness's own form and read by the real ingest. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import type { ThreadRow } from '../../../server/ledger/threads-table.ts';
import { HomeLedger } from '../../home-ledger.ts';
import type { Beat } from './beat.ts';
import type { PlantedSession } from './session.ts';
import { writeClaude } from './write-claude.ts';
import { writeCodex } from './write-codex.ts';
import { writeAntigravity, writeGemini } from './write-gemini.ts';
import { writeOpenclaw, writePi } from './write-pi.ts';

const writers: Readonly<Record<HarnessId, (home: string, id: string, beats: readonly Beat[]) => void>> = {
  claude: writeClaude,
  codex: writeCodex,
  pi: writePi,
  openclaw: writeOpenclaw,
  gemini: writeGemini,
  antigravity: writeAntigravity,
};
const id = '01a2ee00-7000-4000-8000-0000000000b1';

export class PlantedHome implements AsyncDisposable {
  readonly home: string;
  readonly ledger: HomeLedger;

  private constructor(home: string) {
    this.home = home;
    this.ledger = new HomeLedger(home);
  }

  static async of(session: PlantedSession): Promise<PlantedHome> {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-planted-'));
    writers[session.harness](home, id, session.beats);
    const planted = new PlantedHome(home);
    await planted.ledger.catchUp();
    return planted;
  }

  get thread(): ThreadRow {
    const threads = this.ledger.ledger.threads.newest(10).filter((row) => row.child === 0);
    const [thread] = threads;
    if (thread === undefined || threads.length !== 1) throw new Error(`there are ${threads.length} threads`);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger[Symbol.asyncDispose]();
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
