/**
 * How a call to the engine fails. `Rejected`: nothing was written, no id consumed, the handle goes on. `UncertainPersistence`:
 * the batch may or may not be durable (engine specification 3.3): reopen, read what is there, go on from that.
 */

export type RejectedCode =
  | 'unknownConversation'
  | 'unknownEntry'
  | 'unknownTask'
  | 'unknownKind'
  | 'unknownStatus'
  | 'notVisible'
  | 'headMovesBack'
  | 'stateAfterEntry'
  | 'taskIsTerminal'
  | 'foreignDependency'
  | 'ownership'
  | 'liveWork'
  | 'markedTask'
  | 'exchange'
  | 'unknownHook'
  | 'unknownConfig'
  | 'malformed'
  | 'scope'
  | 'notRewindable'
  | 'sequence'
  | 'cursor'
  | 'keyReused'
  | 'storageVersion'
  | 'notSynchronous'
  | 'finished'
  | 'closed';

/** The request is not valid; the session is as it was. */
export class Rejected extends Error {
  readonly code: RejectedCode;
  constructor(code: RejectedCode, message: string) {
    super(message);
    this.name = 'Rejected';
    this.code = code;
  }
}

/** The batch was handed to the disk and what became of it is unknown. `cause` is the storage's own error. */
export class UncertainPersistence extends Error {
  constructor(cause: unknown) {
    super('the commit may or may not be durable: reopen the session and read what is there', { cause });
    this.name = 'UncertainPersistence';
  }
}

/**
 * The live tasks that keep a drive from its end cannot go on in this process (engine specification 6.1): their kind failed, or that of a
 * task that they wait for. `tasks`: all of them, with those they wait for, in the order of their ids; `cause`: the first one's error.
 */
export class TaskPoisoned extends Error {
  readonly tasks: readonly number[];
  constructor(errors: readonly unknown[], tasks: readonly number[]) {
    const [first] = errors;
    const named = tasks.length > most ? `${tasks.slice(0, most).join(', ')} and ${tasks.length - most} more` : tasks.join(', ');
    super(`task ${named} cannot go on: ${first instanceof Error ? first.message : String(first)}`, { cause: first });
    this.name = 'TaskPoisoned';
    this.tasks = tasks;
  }
}

/** A handler of a hook point threw; `cause` is what it threw (engine specification 8.7). */
export class HookFailed extends Error {
  readonly kind: string;
  readonly point: string;
  constructor(kind: string, point: string, cause: unknown) {
    super(`a handler of ${kind}.${point} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'HookFailed';
    this.kind = kind;
    this.point = point;
  }
}

/** Names in a message. */
const most = 20;

/** How a call ends whose signal has fired: by the signal, or because the session takes nothing from it any more. */
export function isUnwind(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted || !(error instanceof Error)) return false;
  return (
    error.name === 'AbortError' || error instanceof UncertainPersistence || (error instanceof Rejected && error.code === 'closed')
  );
}
