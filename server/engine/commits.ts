/**
 * What the line does for one commit (engine specification 3, 9.2): run the closure, validate, persist, then tell watchers, then the driver. The
 * order is the contract: nobody learns of a batch before it is durable, watchers see a settlement before what follows from it runs,
 * and the caller gets its ids last. A failure before persistence leaves nothing.
 */
import type { Attributes, Tracer } from '@opentelemetry/api';
import { CommitBase } from './commit-base.ts';
import type { CommitOptions, Plan } from './engine.ts';
import { Rejected } from './errors.ts';
import { inbox } from './inbox.ts';
import type { Kinds } from './kinds.ts';
import type { Line } from './line.ts';
import { planned, refusePromise } from './plan.ts';
import type { Previews } from './previews.ts';
import type { Publisher } from './publish.ts';
import type { Id, MainWrite } from './records.ts';
import { ScratchTx } from './scratch-tx.ts';
import type { Storage } from './storage.ts';
import { inSpan } from './telemetry.ts';
import { Tx } from './tx.ts';
import { validate } from './validate.ts';

export interface CommitSource<Message> {
  readonly storage: Storage;
  readonly kinds: Kinds<Message>;
  readonly line: Line;
  readonly publisher: Publisher<Message>;
  readonly previews: Previews;
  readonly tracer: Tracer | undefined;
  /** The batch is durable and watchers were told. */
  readonly committed: (writes: readonly MainWrite[]) => void;
  /** The kind of that task did what no kind may; its commit is rejected with the error. */
  readonly fault: (task: Id, error: Rejected) => void;
}

export class Commits<Message> {
  readonly #source: CommitSource<Message>;
  #takesWork = true;

  constructor(source: CommitSource<Message>) {
    this.#source = source;
  }

  /** `by`: the task whose execution commits. `last`: once it is durable, nobody's commit may create live work or queue input. */
  main<T>(plan: Plan<T>, { within, packs }: CommitOptions<T> = {}, by?: Id, last = false): Promise<T> {
    const { storage, kinds, line, publisher, previews, tracer } = this.#source;
    const span = { tracer, name: 'engine.commit', attributes: this.#attributes(by) };
    return inSpan(span, (outcome) =>
      line.run(async () => {
        const base = new CommitBase(storage);
        const { result, writes } = planned(new Tx(storage, kinds, base), plan);
        this.#check(writes, base, by);
        const before = publisher.before(writes);
        const numbers = await storage.commit(
          { kind: 'main', writes },
          within === undefined ? undefined : () => refusePromise(within(result), 'what runs within a commit'),
          packs?.(result),
        );
        if (last) this.#takesWork = false;
        const { first } = numbers;
        outcome(...committed(first, numbers.last));
        if (before !== undefined) publisher.publish(writes, first, before);
        for (const write of writes) if (write.type === 'settle') previews.drop(write.id);
        this.#source.committed(writes);
        return result;
      }),
    );
  }

  /** To the working state of one live task and to nothing else (4.6). */
  scratch<T>(task: Id, plan: (scratch: ScratchTx) => T): Promise<T> {
    const { storage, line, publisher, tracer } = this.#source;
    const span = { tracer, name: 'engine.scratch', attributes: this.#attributes(task) };
    return inSpan(span, (outcome) =>
      line.run(async () => {
        const { result, writes } = planned(new ScratchTx(storage, task), plan);
        const { first, last } = await storage.commit({ kind: 'scratch', task, writes });
        outcome(...committed(first, last));
        publisher.publishScratch(task, writes, first);
        return result;
      }),
    );
  }

  #check(writes: readonly MainWrite[], base: CommitBase, by: Id | undefined): void {
    try {
      validate(writes, this.#source.storage, this.#source.kinds, by, base);
    } catch (error) {
      // Reported from here: the kind may well swallow the rejection.
      if (by !== undefined && error instanceof Rejected && error.code === 'markedTask') this.#source.fault(by, error);
      throw error;
    }
    if (!this.#takesWork && writes.some(isWork))
      throw new Rejected('closed', 'the session is shutting down and takes no new work');
  }

  #attributes(by: Id | undefined): Attributes {
    if (this.#source.tracer === undefined || by === undefined) return {};
    const task = this.#source.storage.getTaskHeaders([by]).get(by);
    return {
      'engine.task.id': by,
      ...(task === undefined ? {} : { 'engine.task.kind': task.kind, 'engine.conversation.id': task.conversationId }),
    };
  }
}

function isWork(write: MainWrite): boolean {
  if (write.type === 'task') return write.role !== 'terminal';
  return write.type === 'list.append' && 'conversation' in write.addr.scope && write.addr.namespace === inbox.namespace;
}

/** A commit without writes has no number. */
function committed(first: Id, last: Id): readonly [string, Attributes] {
  return last < first ? ['empty', {}] : ['committed', { 'engine.commit.first': first, 'engine.commit.last': last }];
}
