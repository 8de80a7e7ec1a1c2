/** An engine over a session in a real file, with what it reported; the file can be opened again as by the next process. */
import { Engine } from '../engine.ts';
import type { EngineOptions } from '../engine.ts';
import type { ConversationHandle } from '../conversation.ts';
import type { TaskKind } from '../kinds.ts';
import type { Id } from '../records.ts';
import type { Storage } from '../storage.ts';
import { entryKinds } from './kinds.ts';
import type { ScriptState } from './scripted.ts';
import { TempSession } from './session.ts';

type Options = Partial<EngineOptions<string>> & { readonly around?: (storage: Storage) => Storage };

export class Opened {
  readonly engine: Engine<string>;
  readonly root: ConversationHandle<string>;
  readonly session: TempSession;
  readonly reports: unknown[];

  private constructor(session: TempSession, engine: Engine<string>, root: ConversationHandle<string>, reports: unknown[]) {
    this.session = session;
    this.engine = engine;
    this.root = root;
    this.reports = reports;
  }

  static async open(
    session: TempSession | ((dispose: () => void) => void),
    taskKinds: EngineOptions<string>['taskKinds'],
    { around = (storage) => storage, ...options }: Options = {},
  ): Promise<Opened> {
    const of = typeof session === 'function' ? new TempSession(session) : session;
    const reports: unknown[] = [];
    const engine = await Engine.open<string>(around(of.store.session('session')), {
      entryKinds,
      taskKinds,
      report: (error) => void reports.push(error),
      ...options,
    });
    return new Opened(of, engine, await engine.root(), reports);
  }

  /** What was reported, as messages. */
  get messages(): readonly string[] {
    return this.reports.map((error) => (error instanceof Error ? error.message : String(error)));
  }

  /** A task of the root, with that name. */
  async task(
    kind: TaskKind<ScriptState>,
    name: string,
    spec: { readonly after?: readonly Id[]; readonly background?: true } = {},
  ): Promise<Id> {
    return this.root.commit((tx) => tx.task(kind, { state: { name }, ...spec }));
  }

  status(id: Id): string | undefined {
    return this.engine.getTask(id)?.status;
  }

  /** As the next process finds the session. What this engine still ran is dead. */
  async again(taskKinds: EngineOptions<string>['taskKinds'], options: Options = {}): Promise<Opened> {
    this.session.reopenFile();
    return Opened.open(this.session, taskKinds, options);
  }
}
