/**
 * The open engines of a ledger, at most one a session at any time: two lines of commits, or two drivers, on one session would not know
 * of each other. An idle engine holds nothing but its handle and is dropped for a newer one; one that is driven, watched or held stays.
 */
import { Engine } from '../engine/engine.ts';
import { Rejected } from '../engine/errors.ts';
import type { TaskKind } from '../engine/kinds.ts';
import type { SqliteStore } from '../engine/sqlite/store.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { continueTask } from './continue-task.ts';
import { registeredKinds, subagentTask } from './kinds.ts';

export interface HeldEngine extends Disposable {
  readonly engine: Engine<Message>;
}

interface Opened {
  readonly opening: Promise<Engine<Message>>;
  /** Undefined while it is being opened. */
  engine: Engine<Message> | undefined;
  holds: number;
}

/** For as many sessions as are busy at once. */
const mostIdle = 48;

export class Engines {
  readonly #store: SqliteStore;
  /** Least recently asked for first. */
  readonly #open = new Map<string, Opened>();
  /** Engines that were given up and whose work is ending. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #executed: TaskKind[] = [];
  #closed = false;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  /** Tasks of that kind are executed in this process; to be said before anything is opened. */
  executes(kind: TaskKind): void {
    if (this.#open.size > 0) throw new Error(`who executes ${kind.kind} must be known before a session is opened`);
    this.#executed.push(kind);
  }

  /** The engine session of that name. Creates it when `create`; otherwise a missing one is a bug. */
  async get(session: string, create: boolean): Promise<Engine<Message>> {
    return this.#opened(session, create).opening;
  }

  /** As `get`, and the same engine for everybody until it is disposed of. */
  async hold(session: string): Promise<HeldEngine> {
    const opened = this.#opened(session, false);
    opened.holds++;
    try {
      const engine = await opened.opening;
      return { engine, [Symbol.dispose]: () => void opened.holds-- };
    } catch (error) {
      opened.holds--;
      throw error;
    }
  }

  /** After a commit of which it is not known whether it lasts: the next one to ask opens the session anew, once its work has ended. */
  forget(session: string): void {
    const opened = this.#open.get(session);
    if (opened === undefined) return;
    this.#open.delete(session);
    this.#ending.set(session, closed(opened, this.#ending.get(session)));
  }

  /** What runs is cancelled and has ended; its tasks go on when the ledger is opened again. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all([...all.map((opened) => closed(opened)), ...this.#ending.values()]);
  }

  #opened(session: string, create: boolean): Opened {
    const known = this.#open.get(session);
    if (known !== undefined) {
      this.#open.delete(session);
      this.#open.set(session, known);
      return known;
    }
    const opened: Opened = { opening: this.#start(session, create), engine: undefined, holds: 0 };
    this.#open.set(session, opened);
    opened.opening.then(
      (engine) => (opened.engine = engine),
      () => {
        if (this.#open.get(session) === opened) this.#open.delete(session);
      },
    );
    this.#drop();
    return opened;
  }

  async #start(session: string, create: boolean): Promise<Engine<Message>> {
    const ending = this.#ending.get(session);
    if (ending !== undefined) await ending;
    if (this.#ending.get(session) === ending) this.#ending.delete(session);
    if (this.#closed) throw new Rejected('closed', 'the ledger is closed');
    const storage = create ? this.#store.session(session) : this.#store.find(session);
    if (storage === undefined) throw new Error(`the ledger names an engine session that it does not have: ${session}`);
    return Engine.open(storage, {
      entryKinds: registeredKinds,
      taskKinds: [subagentTask, continueTask, ...this.#executed],
    });
  }

  #drop(): void {
    let surplus = this.#open.size - mostIdle;
    for (const [session, { engine, holds }] of this.#open) {
      if (surplus <= 0) return;
      if (holds > 0 || engine === undefined || engine.isInUse) continue;
      this.#open.delete(session);
      surplus--;
    }
  }
}

async function closed({ opening }: Opened, before?: Promise<void>): Promise<void> {
  await before;
  try {
    await (await opening).close();
  } catch {
    // It was never open, or could not be: then nothing runs.
  }
}
