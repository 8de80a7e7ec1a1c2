/** For tests: the ledger of a home, built by the real ingest in a temp folder. Nothing of the home is changed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ingest } from '../server/ingest/ingest.ts';
import type { IngestOptions } from '../server/ingest/ingest.ts';
import type { Committed } from '../server/ingest/commit.ts';
import { Handovers } from '../server/drive/handovers.ts';
import type { HandoversOptions } from '../server/drive/handovers.ts';
import { Ledger } from '../server/ledger/ledger.ts';
import { DiskSidecars } from '../server/main/sidecars.ts';
import { environmentOf } from '../server/main/environment.ts';
import { world } from '../server/main/world.ts';
import type { IngestReport } from '../server/protocol/requests.ts';
import { shuttles } from '../shuttles/registry.ts';

export interface HomeLedgerOptions extends Partial<Pick<HandoversOptions, 'world' | 'onStep'>> {
  /** Of a ledger that is to stay; absent: a new one, which goes with this. */
  readonly folder?: string;
  /** How it reads. */
  readonly ingest?: Partial<IngestOptions>;
}

export class HomeLedger implements AsyncDisposable {
  readonly home: string;
  readonly ledger: Ledger;
  readonly handovers: Handovers;
  readonly ingest: Ingest;
  readonly committed: Committed[] = [];
  readonly faults: string[] = [];
  readonly folder: string;
  readonly #stays: boolean;

  /** `variables` stand for the harness's own ones, such as CODEX_HOME; `platform` for the rules of paths. */
  constructor(
    home: string,
    variables: NodeJS.ProcessEnv = {},
    platform: NodeJS.Platform = 'linux',
    { folder, ingest, ...handovers }: HomeLedgerOptions = {},
  ) {
    this.home = home;
    this.#stays = folder !== undefined;
    this.folder = folder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
    this.ledger = Ledger.open(this.folder, { readonly: false, now: 0, maySetAside: false });
    this.handovers = new Handovers({ world, ...handovers, ledger: this.ledger });
    this.ingest = new Ingest({
      ledger: this.ledger,
      shuttles,
      environment: environmentOf(home, variables, platform),
      sidecars: new DiskSidecars(),
      now: () => Date.now(),
      onCommit: (committed) => this.committed.push(committed),
      onProgress: () => undefined,
      onFault: (id, detail) => this.faults.push(`${id} ${detail}`),
      onThreadChanged: () => undefined,
      ...ingest,
    });
  }

  /** Reads everything new. */
  catchUp(): Promise<IngestReport> {
    return this.ingest.pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ingest.stop();
    await this.ledger.close();
    if (!this.#stays) fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A copy of a fixture's home that a test may change. */
export function copyHome(from: string): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-home-'));
  fs.cpSync(from, home, { recursive: true });
  return home;
}

export const fixtures = path.join(import.meta.dirname, 'fixtures');
export const cases = path.join(import.meta.dirname, 'cases');
