/**
 * Whether the registered kinds can read what a session has (engine specification 2.1, 5.2): every kind of entry ever written, and the kind and
 * status of every live task. Asked before anything runs. Terminal tasks of a forgotten kind stay readable, untyped.
 */
import { Rejected } from './errors.ts';
import type { Kinds } from './kinds.ts';
import { end } from './storage.ts';
import type { Storage } from './storage.ts';

/** Throws Rejected `unknownKind`, or `unknownStatus` for live work that a replacement of its kind does not understand. */
export function checkStoredKinds(storage: Storage, kinds: Kinds): void {
  const entries = [...storage.kinds].filter((kind) => !kinds.hasEntry(kind));
  if (entries.length > 0)
    throw new Rejected('unknownKind', `the session has entries of kinds that are not registered: ${entries.join(', ')}`);
  const live = storage.scanTaskHeaders({ live: true, limit: end }).items;
  const tasks = new Set(live.filter(({ kind }) => !kinds.hasTask(kind)).map(({ kind }) => kind));
  if (tasks.size > 0)
    throw new Rejected('unknownKind', `the session has live work of kinds that are not registered: ${[...tasks].join(', ')}`);
  for (const { kind, status } of live) kinds.role(kind, status);
}
