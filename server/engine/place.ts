/**
 * Where a backend keeps what an address names: a conversation's or a task's id, a namespace and a stored key. A key is stored
 * behind a colon, the absent key as the empty string, so that both have their place in one order. Text is well-formed Unicode
 * in every backend, because that is what a database keeps of it.
 */
import { Rejected } from './errors.ts';
import type { Address, Id } from './records.ts';

export interface Place {
  /** A conversation, 0 for the session itself, or the task of a scratch. */
  readonly id: Id;
  readonly namespace: string;
  readonly key: string;
}

/** Of state that a main commit writes. Throws Rejected `scope`. */
export function statePlace({ scope, namespace, key, rewind }: Address): Place {
  if ('scratch' in scope) throw new Rejected('scope', 'scratch is written by scratch commits only');
  if ('session' in scope && rewind) throw new Rejected('scope', 'session state is never rewindable');
  return placeOf('session' in scope ? 0 : scope.conversation, namespace, key);
}

/** Of state that a scratch commit of that task writes. Throws Rejected `scope`. */
export function scratchPlace(task: Id, { scope, namespace, key, rewind }: Address): Place {
  if (!('scratch' in scope) || scope.scratch !== task || rewind)
    throw new Rejected('scope', `a scratch commit of task ${task} writes that task's scratch and nothing else`);
  return placeOf(task, namespace, key);
}

export function placeOf(id: Id, namespace: string, key: string | undefined): Place {
  return { id, namespace: namespace.toWellFormed(), key: storedKey(key) };
}

export function storedKey(key: string | undefined): string {
  return key === undefined ? '' : `:${key.toWellFormed()}`;
}

/** The address that is kept there. */
export function addressAt({ id, namespace, key }: Place, rewind: boolean, isScratch: boolean): Address {
  return {
    scope: isScratch ? { scratch: id } : id === 0 ? { session: true } : { conversation: id },
    namespace,
    ...(key === '' ? {} : { key: key.slice(1) }),
    rewind,
  };
}
