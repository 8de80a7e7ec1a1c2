/**
 * What a connected window or program may ask for, answered from the ledger. The owner's service also ingests and watches;
 * a reader's answers from the ledger as it is. Faults reach the caller as errors with the fault's id; the process stays up.
 */
import path from 'node:path';
import type { ProcessFact } from '../baton/baton.ts';
import { Ingest } from '../ingest/ingest.ts';
import { mendSession } from '../ingest/mending.ts';
import { RawRecords } from '../ingest/raw-records.ts';
import type { Committed } from '../ingest/commit.ts';
import { Watcher } from '../ingest/watcher.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { damageIn, mostNamedInFault, namedThreads } from '../ledger/damage.ts';
import { asFault, errorCode } from '../ledger/database.ts';
import { findThread, knownThread } from '../ledger/lookup.ts';
import { reindexSome } from '../ledger/reindex.ts';
import { search } from '../ledger/search.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { entryById } from '../ledger/transcript.ts';
import { compileThread } from '../drive/compile.ts';
import type { CompileOptions } from '../drive/compile.ts';
import { endConflict } from '../drive/conflict.ts';
import { continueThread } from '../drive/continue.ts';
import type { Handovers } from '../drive/handovers.ts';
import { liveProcesses } from '../drive/live-processes.ts';
import type { World } from '../drive/world.ts';
import { faults, Fault } from '../protocol/faults.ts';
import type { FaultId } from '../protocol/faults.ts';
import { requests } from '../protocol/requests.ts';
import type {
  BatonResult,
  ContinueParams,
  ContinueResult,
  IngestReport,
  NativeRecordResult,
  RestoreResult,
  SearchParams,
  SearchResult,
  Status,
  SubscribeThreads,
  SubscribeTimeline,
} from '../protocol/requests.ts';
import type { EntryView, FaultView, HarnessStatus, ImportProgress, View } from '../protocol/views.ts';
import type { Snapshots } from '../world/snapshots.ts';
import type { Databases } from '../../shuttles/contract/container.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Holder, Machine, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { BatonKeeper } from './baton-keeper.ts';
import { LedgerKeeper } from './ledger-keeper.ts';
import { entryView } from './entry-view.ts';
import { changedHolders, readHolders } from './presence.ts';
import type { AskProgram } from './ask-program.ts';
import { Programs } from './programs.ts';
import { ProjectFolders } from './project-folder.ts';
import { answerReading } from './reading-requests.ts';
import { startReadingThread } from './reading-thread.ts';
import { Readings } from './readings.ts';
import { restoreNative } from './restore-native.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Client } from './subscriptions.ts';
import { harnessAndId, holderKey } from './thread-view.ts';
import type { Holders } from './thread-view.ts';
import { answerWorld } from './world-requests.ts';
import { WorldService } from './world-service.ts';

export interface ServiceOptions {
  readonly ledger: Ledger;
  readonly owner: boolean;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly machine: Machine;
  readonly sidecars: Sidecars;
  readonly databases: Databases;
  readonly version: string;
  /** PATH of this process. */
  readonly path: string;
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly world: World;
  readonly handovers: Handovers;
  /** Secret of this ledger, for the fingerprints of masked values. */
  readonly salt: string;
  readonly facts: CompileOptions['facts'];
  /** Absent: this ledger can have none. */
  readonly snapshots?: Snapshots | undefined;
  /** Snapshots are taken around turns while the sources are followed. */
  readonly automaticSnapshots?: boolean;
  /** Absent: no program of a harness is asked for its version. */
  readonly ask?: AskProgram;
  readonly log: (line: string) => void;
  /** Damage was met in the ledger's file: it is to be opened anew. */
  readonly onDamaged?: () => void;
}

const presenceMs = 1500;

export class Service {
  readonly ingest: Ingest;
  readonly worktrees: WorldService;
  readonly #options: ServiceOptions;
  readonly #subscriptions: Subscriptions;
  readonly #keeper: LedgerKeeper;
  readonly #batons: BatonKeeper;
  readonly #folders: ProjectFolders;
  readonly #readings: Readings;
  readonly #programs: Programs;
  readonly #faults = new Map<string, FaultView>();
  /** Ids of threads of which something was found damaged. */
  readonly #damagedThreads = new Set<string>();
  /** Names of sessions of which something was, and which were mended as far as that can be, or are being mended. */
  readonly #mended = new Set<string>();
  #holders: Holders = new Map();
  #harnesses: readonly HarnessStatus[] = [];
  #importing: ImportProgress | null = null;
  #bytesToRead = 0;
  #watcher: Watcher | null = null;
  #onImport: ((progress: ImportProgress | null) => void) | null = null;
  #presence: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { ledger, shuttles, environment, sidecars, now } = options;
    this.#folders = new ProjectFolders(environment.platform);
    this.#subscriptions = new Subscriptions({
      ledger,
      project: (cwd) => this.#folders.keyOf(cwd),
      holders: () => this.#holders,
      importing: () => this.#importing,
      harnesses: () => this.#harnesses,
      faults: () => [...this.#faults.values()],
      onOpened: (thread) => void this.#whole(thread),
    });
    this.ingest = new Ingest({
      ledger,
      shuttles,
      environment,
      sidecars,
      now,
      readingThread: startReadingThread,
      onCommit: (committed) => this.#committed(committed),
      onProgress: (progress) => this.#progress(progress),
      onFault: (id, detail) => this.fault(id, detail),
      onHealed: (id, detail) => this.#healed(id, detail),
      onGrown: (file, mtimeMs) => this.#watcher?.grown(file, mtimeMs),
      onThreadChanged: (thread) => {
        const row = ledger.threads.byNumber(thread);
        if (row !== undefined) this.#subscriptions.threadChanged(row);
      },
    });
    this.#keeper = new LedgerKeeper({
      ledger,
      ingest: this.ingest,
      others: () => this.#batons.settle(),
      now,
      onError: (error) => this.#failed(error),
      onLostKeys: (rows) => this.#onlyFault('L010', `${rows} rows of them`),
    });
    this.#batons = new BatonKeeper({
      ledger,
      salt: options.salt,
      quietly: (work) => this.ingest.quietly(work),
      now,
      onError: (error) => this.#failed(error),
      onRested: () => this.#keeper.giveBack(),
    });
    this.#programs = new Programs(options);
    this.#readings = new Readings({
      ledger,
      salt: options.salt,
      now,
      catchUp: () => this.catchUp(),
      holders: () => readHolders(shuttles, environment, options.machine),
      folders: this.#folders,
      search: (params) => this.search(params),
    });
    this.worktrees = new WorldService({
      ledger,
      snapshots: options.snapshots,
      automatic: options.automaticSnapshots !== false,
      holders: () => this.#holders,
      unseen: new Set(shuttles.filter(({ presence }) => 'absent' in presence).map(({ harness: unseen }) => unseen)),
      onChanged: (thread) => this.#subscriptions.threadChanged(thread),
      fault: (id, detail) => this.fault(id, detail),
      healed: (id, about) => this.#healed(id, about),
      onError: (error) => this.#failed(error),
      log: options.log,
      now,
    });
    this.#refreshMachine();
    ledger.onDamaged = (session) => {
      this.#tellDamaged(ledger.threads.bySession(session).map(({ id }) => id));
      this.#mend(session);
    };
    if (ledger.setAside !== null) this.fault('L002', ledger.setAside);
    if (ledger.readonly && options.owner) this.fault('L003', ledger.folder);
  }

  /** Begins to follow the sources. Only for the owner. */
  start(): void {
    const { ledger, shuttles, environment, now } = this.#options;
    if (!this.#options.owner || ledger.readonly || this.#watcher !== null) return;
    const places = shuttles.flatMap((shuttle) => shuttle.find.roots(environment).map((root) => ({ root: root.path, shuttle })));
    const placeOf = (file: string) => places.find(({ root }) => file === root || file.startsWith(root + path.sep));
    this.#watcher = new Watcher({
      ingest: this.ingest,
      placeOf,
      roots: places.map(({ root }) => root),
      newest: (limit) => ledger.sources.newest(limit).filter((file) => placeOf(file.path) !== undefined),
      onError: (error) => this.#failed(error),
      onRefused: (refused) => {
        if (refused === undefined) this.#healed('W001');
        else this.#onlyFault('W001', `${refused.folders} folders are looked into every few seconds instead (${refused.code})`);
      },
      now,
      elapsed: () => performance.now(),
    });
    this.#watcher.start();
    this.#presence = setInterval(() => {
      try {
        this.#pollPresence();
      } catch (error) {
        this.#failed(error);
      }
    }, presenceMs);
    this.#presence.unref();
    this.#askVersions();
    this.reindex().catch((error: unknown) => this.#failed(error));
    this.#keeper.start();
    this.#batons.start();
    this.worktrees.start();
  }

  /** Makes the search index anew where an update asked for that: a part at a time, between readings. Hears how much is left. */
  async reindex(onLeft: (left: number) => void = () => undefined): Promise<void> {
    const { ledger, owner } = this.#options;
    if (!owner || ledger.readonly) return;
    while (!this.#stopped && (await this.ingest.quietly(() => Promise.resolve(reindexSome(ledger, 500)))))
      onLeft(ledger.documents.left());
  }

  /** Archives what waits for it: files that an older Loom read without keeping their bytes. */
  async archive(): Promise<void> {
    const { ledger, owner } = this.#options;
    if (owner && !ledger.readonly) await this.#keeper.archive();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#keeper.stop();
    await this.#batons.stop();
    await this.worktrees.stop();
    if (this.#presence !== null) clearInterval(this.#presence);
    await this.#watcher?.close();
    await this.ingest.stop();
  }

  /** Answers one request; `params` come from our own client over a trusted pipe, and are still looked at before use. */
  async handle(client: Client, method: string, params: unknown): Promise<unknown> {
    try {
      return await this.#answer(client, method, params);
    } catch (error) {
      throw this.#named(error);
    }
  }

  async #answer(client: Client, method: string, params: unknown): Promise<unknown> {
    const p = asRecord(params);
    switch (method) {
      case requests.status.method:
        return this.status();
      case requests.subscribe.method:
        return this.subscribe(client, p);
      case requests.unsubscribe.method:
        this.#subscriptions.remove(client, text(p, 'subscription'));
        return null;
      case requests.older.method:
        await this.#subscriptions.older(client, text(p, 'subscription'), number(p, 'limit', 500));
        return null;
      case requests.entry.method:
        return this.entry(text(p, 'thread'), number(p, 'entry', 0));
      case requests.search.method:
        return this.search(p as unknown as SearchParams);
      case requests.baton.method:
        return this.baton(text(p, 'thread'), harness(p, 'to'), typeof p['budget'] === 'number' ? p['budget'] : null);
      case requests.continueIn.method:
        return this.continueIn(p as unknown as ContinueParams);
      case requests.nativeRecord.method:
        return this.nativeRecord(text(p, 'thread'), number(p, 'entry', 0));
      case requests.restore.method:
        return this.restore(text(p, 'thread'), p['folder'] === null ? null : text(p, 'folder'));
      case requests.endConflict.method:
        return this.endConflict(text(p, 'thread'), p['choice']);
      case requests.forgetConsents.method:
        return this.forgetConsents(text(p, 'folder'));
      case requests.ingest.method:
        return this.catchUp();
      default: {
        const answer = answerWorld(this.worktrees, method, p) ?? answerReading(this.#readings, method, p);
        if (answer === undefined) throw new Error(`there is no request ${method}`);
        return answer;
      }
    }
  }

  drop(client: Client): void {
    this.#subscriptions.drop(client);
  }

  status(): Status {
    this.#refreshMachine();
    this.#askVersions();
    const { version, ledger, owner } = this.#options;
    return { version, ledger: ledger.folder, owner, harnesses: this.#harnesses, faults: [...this.#faults.values()] };
  }

  subscribe(client: Client, params: Readonly<Record<string, unknown>>): Promise<View> {
    const decoded: SubscribeThreads | SubscribeTimeline =
      params['kind'] === 'timeline'
        ? {
            subscription: text(params, 'subscription'),
            kind: 'timeline',
            thread: text(params, 'thread'),
            conversation: typeof params['conversation'] === 'number' ? params['conversation'] : null,
            tail: number(params, 'tail', 200),
          }
        : { subscription: text(params, 'subscription'), kind: 'threads', all: params['all'] === true };
    return this.#subscriptions.add(client, decoded);
  }

  /** What cannot be read for damage is left out and told of; everything else is answered. */
  search(params: SearchParams): SearchResult {
    const { ledger } = this.#options;
    const onDamaged = (threads: readonly string[]): void => {
      this.#tellDamaged(threads);
      for (const thread of threads) this.#mend(ledger.threads.byId(thread)?.session);
    };
    return search(ledger, params, { folders: this.#folders, onDamaged });
  }

  #tellDamaged(threads: readonly string[]): void {
    for (const thread of threads) this.#damagedThreads.add(thread);
    if (this.#damagedThreads.size === 0) this.#healed('L009');
    else this.#onlyFault('L009', namedThreads(this.#damagedThreads, mostNamedInFault));
  }

  /** What is damaged of a session is told anew from its sources, once in this process, when nothing is being read. */
  #mend(session: string | undefined): void {
    const { ledger, owner } = this.#options;
    if (session === undefined || !owner || ledger.readonly || this.#mended.has(session)) return;
    this.#mended.add(session);
    this.#mending(session).catch((error: unknown) => this.#failed(error));
  }

  async #mending(session: string): Promise<void> {
    const { ledger, log } = this.#options;
    const { packs, left } = await this.ingest.quietly(() => Promise.resolve(mendSession(this.#options, session)));
    if (packs === 0 || this.#stopped) return;
    log(`${packs} damaged parts of a thread were made whole from its session files or the archive; ${left} are left`);
    const threads = ledger.threads.bySession(session);
    if (left === 0) {
      this.#mended.delete(session);
      for (const { id } of threads) this.#damagedThreads.delete(id);
      this.#tellDamaged([]);
    }
    for (const thread of threads) this.#subscriptions.reread(thread);
  }

  entry(thread: string, id: number): EntryView {
    const { ledger } = this.#options;
    const row = findThread(ledger, thread);
    const entry = entryById(ledger, row.session, id);
    if (entry === undefined) throw new Fault('T004', `${thread} has no entry ${id}.`);
    return entryView(entry, true);
  }

  nativeRecord(thread: string, id: number): NativeRecordResult {
    const { ledger } = this.#options;
    const entry = entryById(ledger, findThread(ledger, thread).session, id);
    if (entry === undefined) throw new Fault('T004', `${thread} has no entry ${id}.`);
    using records = new RawRecords(this.#options);
    return records.of(entry);
  }

  /** Writes below a folder of the person's choice, which is absolute, or where the files lay. */
  async restore(thread: string, folder: string | null): Promise<RestoreResult> {
    if (folder !== null && !path.isAbsolute(folder)) throw new Error('a thread is restored to an absolute folder');
    const row = findThread(this.#options.ledger, thread);
    await this.archive();
    return restoreNative(this.#options, { thread: row, folder });
  }

  /** Of a thread that is being read, when it is. */
  async baton(thread: string, to: HarnessId | null, budget: number | null): Promise<BatonResult> {
    const { ledger, now, salt, facts } = this.#options;
    await this.#whole(findThread(ledger, thread));
    const { result } = await compileThread(ledger, findThread(ledger, thread), {
      to,
      budget,
      now: now(),
      salt,
      facts,
      processes: this.#processes,
    });
    return result;
  }

  /** Reads what is left of the thread's files before what is left of others. Resolves at the end of it. */
  async #whole(thread: ThreadRow): Promise<void> {
    const { natives, sources } = this.#options.ledger;
    const unread = natives.byThread(thread.number).flatMap(({ number: native }) => sources.unfinished(native));
    await Promise.all(unread.map((file) => this.ingest.prefer(file.path)));
  }

  /** Reads what is new of the sources, then moves the thread. Who asks for a thread that is being moved is refused at once. */
  async continueIn(params: ContinueParams): Promise<ContinueResult> {
    const { ledger } = this.#options;
    if (ledger.readonly) throw new Fault('L003', ledger.folder);
    return this.#claimed(params, async () => {
      // Before the sources are read: what is read, and who holds what, is to be of the moment of the hand-over.
      // A program that is asked who is logged in may write into its own folder: a dry run leaves nothing anywhere.
      const login = params.dryRun ? Promise.resolve(null) : this.#programs.isLoggedIn(params.harness);
      const [loggedIn] = await Promise.all([login, this.#programs.know(params.harness)]);
      await this.catchUp();
      this.#refreshMachine();
      // It may only be known now.
      return this.#claimed(params, async () => this.#moved(params, loggedIn));
    });
  }

  async #moved(params: ContinueParams, loggedIn: boolean | null): Promise<ContinueResult> {
    const { ledger } = this.#options;
    const holders = (of: HarnessId, nativeId: string): readonly Holder[] => this.#holders.get(holderKey(of, nativeId)) ?? [];
    const isLoggedIn = (): Promise<boolean | null> => Promise.resolve(loggedIn);
    const harnesses = this.#programs.statuses();
    const before = params.dryRun ? undefined : knownThread(ledger, params.thread);
    if (before !== undefined) await this.worktrees.beforeHandoff(before);
    const result = await this.ingest.quietly(() =>
      continueThread(params, { ...this.#options, holders, harnesses, isLoggedIn, processes: this.#processes }),
    );
    const row = ledger.threads.byId(result.thread);
    if (row !== undefined && !params.dryRun) this.#subscriptions.reread(row);
    return result;
  }

  readonly #processes = (pids: readonly number[]): readonly ProcessFact[] =>
    liveProcesses(this.#options.machine, this.#options.environment.platform, pids);

  async #claimed<T>(params: ContinueParams, work: () => Promise<T>): Promise<T> {
    const thread = params.dryRun ? undefined : knownThread(this.#options.ledger, params.thread);
    return thread === undefined ? work() : this.#options.handovers.claimed(thread.id, params, work);
  }

  /** As the person says of the conflict that is shown; one that has ended already stays as it ended. */
  async endConflict(thread: string, choice: unknown): Promise<null> {
    const { ledger, handovers, now } = this.#options;
    if (choice !== 'keep' && choice !== 'follow') throw new Error('a conflict ends with keep or follow');
    if (ledger.readonly) throw new Fault('L003', ledger.folder);
    const row = findThread(ledger, thread);
    await handovers.claimed(row.id, {}, () => this.ingest.quietly(() => endConflict(ledger, row, choice, now())));
    const ended = ledger.threads.byNumber(row.number);
    if (ended !== undefined) this.#subscriptions.reread(ended);
    return null;
  }

  /** Of a folder, however it is spelled. */
  forgetConsents(folder: string): number {
    const { ledger, world } = this.#options;
    if (ledger.readonly) throw new Fault('L003', ledger.folder);
    return ledger.transact(() => ledger.consents.forget(world.realFolder(folder) ?? folder));
  }

  async catchUp(): Promise<IngestReport> {
    const { ledger } = this.#options;
    // A newer Loom's ledger is read as it is (L003 is on record).
    if (ledger.readonly)
      return { sources: 0, bytes: 0, records: 0, entries: 0, threads: ledger.threads.count(), opaque: 0, warnings: [], ms: 0 };
    try {
      return await this.ingest.pass();
    } catch (error) {
      this.#failed(error);
      throw this.#named(error);
    }
  }

  fault(id: FaultId, detail: string): void {
    const key = `${id} ${detail}`;
    if (this.#faults.has(key)) return;
    this.#faults.set(key, { id, message: `${faults[id].message} ${detail}`, fix: faults[id].fix });
    this.#options.log(`${id}: ${faults[id].message} ${detail}`);
    this.#subscriptions.faults([...this.#faults.values()]);
  }

  /** Hears of every step of an import, however small. */
  onImport(listener: (progress: ImportProgress | null) => void): void {
    this.#onImport = listener;
  }

  #committed(committed: Committed): void {
    // A commit went through: there is room again, nobody else locks the file, and it may be written.
    for (const id of ['L001', 'L004', 'L005'] as const) this.#healed(id);
    this.#subscriptions.committed(committed);
    if (this.#watcher !== null) this.#batons.committed(committed.thread);
    this.worktrees.committed(committed);
  }

  /** Takes the fault back; with `about` only that of one thing (a path). */
  #healed(id: FaultId, about?: string): void {
    const start = `${id} ${about ?? ''}`;
    const isOver = (key: string): boolean =>
      key.startsWith(start) && (about === undefined || ['', ' ', ':'].includes(key.charAt(start.length)));
    const over = [...this.#faults.keys()].filter(isOver);
    if (over.length === 0) return;
    for (const key of over) this.#faults.delete(key);
    this.#subscriptions.faults([...this.#faults.values()]);
  }

  /** Of such a fault there is one, and its newest words count. */
  #onlyFault(id: FaultId, detail: string): void {
    if (this.#faults.has(`${id} ${detail}`)) return;
    for (const key of this.#faults.keys()) if (key.startsWith(`${id} `)) this.#faults.delete(key);
    this.fault(id, detail);
  }

  #progress(progress: ImportProgress | null): void {
    this.#onImport?.(progress);
    if (progress === null) this.#keeper.soon(this.#bytesToRead);
    this.#bytesToRead = progress?.bytesTotal ?? 0;
    // Only work that a person may have to wait for is worth showing.
    const shown = progress !== null && progress.bytesTotal > 4 * 1024 * 1024 ? progress : null;
    if (shown === null && this.#importing === null) return;
    this.#importing = shown;
    this.#batons.importing(shown !== null);
    this.#subscriptions.importing(shown);
  }

  #failed(error: unknown): void {
    const named = this.#named(error);
    if (named instanceof Fault) this.fault(named.id, named.detail);
    else this.#options.log(named instanceof Error ? (named.stack ?? named.message) : String(named));
  }

  /** What the ledger's file answered, as the fault that tells the person. Damage is acted upon. */
  #named(error: unknown): unknown {
    const damage = damageIn(this.#options.ledger, error);
    if (damage !== undefined) {
      this.#mend(damage.session);
      return damage.fault;
    }
    const named = errorCode(error).startsWith('SQLITE_') ? asFault(error, this.#options.ledger.folder) : error;
    if (named instanceof Fault && named.id === 'L002') this.#options.onDamaged?.();
    return named;
  }

  #pollPresence(): void {
    const { shuttles, environment, machine, ledger } = this.#options;
    const holders = readHolders(shuttles, environment, machine);
    const changed = changedHolders(this.#holders, holders);
    this.#holders = holders;
    for (const key of changed) {
      const native = ledger.natives.byNativeId(...harnessAndId(key));
      const row = native === undefined ? undefined : ledger.threads.byNumber(native.thread);
      if (row === undefined) continue;
      this.#subscriptions.threadChanged(row);
      this.worktrees.presence(row, holders.has(key));
    }
  }

  /** Whoever shows harnesses hears of their versions when they are known. */
  #askVersions(): void {
    const told = async (): Promise<void> => {
      if (!(await this.#programs.askAll()) || this.#stopped) return;
      this.#harnesses = this.#programs.statuses();
      this.#subscriptions.harnesses(this.#harnesses);
    };
    told().catch((error: unknown) => this.#failed(error));
  }

  #refreshMachine(): void {
    const { shuttles, environment, machine } = this.#options;
    this.#holders = readHolders(shuttles, environment, machine);
    this.#harnesses = this.#programs.statuses();
  }
}

type Params = Readonly<Record<string, unknown>>;

function asRecord(params: unknown): Params {
  return typeof params === 'object' && params !== null ? (params as Params) : {};
}
function text(params: Params, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}
function number(params: Params, name: string, otherwise: number): number {
  const value = params[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
}
function harness(params: Params, name: string): HarnessId | null {
  const value = params[name];
  return typeof value === 'string' ? (value as HarnessId) : null;
}
