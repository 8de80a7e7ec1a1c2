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
