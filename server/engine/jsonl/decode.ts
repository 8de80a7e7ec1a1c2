/** Lines back to batches. Looks at every field that the engine itself depends on; payloads are trusted. Undefined: no such record. */
import { placeOf } from '../place.ts';
import type { Address, CommitBatch, Conversation, Id, Json, MainWrite, Scope, StateWrite } from '../records.ts';
import { applied } from './delta.ts';
import type { Previous } from './encode.ts';
import { fieldsOf, fits, id, ids, isTrue, json, role, text } from './fields.ts';
import type { Fields } from './fields.ts';

export interface DecodedLine {
  readonly first: Id;
  readonly batch: CommitBatch;
}

/** The storage version of the session, from its first line. */
export function decodeHeader(line: unknown): string | undefined {
  const fields = fieldsOf(line);
  return fields?.['session'] === 'engine' ? text(fields['version']) : undefined;
}

/** `task`: of a scratch file. `previous`: what values the session has before this line. */
export function decodeBatch(line: unknown, task: Id | undefined, previous: Previous): DecodedLine | undefined {
  const fields = fieldsOf(line);
  const first = id(fields?.['first']);
  const records = fields?.['writes'];
  if (first === undefined || !Array.isArray(records) || records.length === 0) return undefined;
  const scope: Scope | undefined = task === undefined ? undefined : { scratch: task };
  const writes: MainWrite[] = [];
  for (const record of records) {
    const found = fieldsOf(record);
    const write = found === undefined ? undefined : decodeWrite(found, first + writes.length, scope, previous);
    if (write === undefined) return undefined;
    writes.push(write);
  }
  if (task === undefined) return { first, batch: { kind: 'main', writes } };
  const states = writes.filter(isState);
  return states.length < writes.length ? undefined : { first, batch: { kind: 'scratch', task, writes: states } };
}

function decodeWrite(fields: Fields, seq: Id, scope: Scope | undefined, previous: Previous): MainWrite | undefined {
  switch (fields['type']) {
    case 'createConversation': {
      const conversation = decodeConversation(fields, seq);
      return conversation && { type: 'createConversation', conversation };
    }
    case 'deleteConversation': {
      const deleted = id(fields['id']);
      return deleted === undefined ? undefined : { type: 'deleteConversation', id: deleted };
    }
    case 'entry':
      return decodeEntry(fields, seq);
    case 'task':
      return decodeTask(fields, seq);
    case 'patch':
      return decodePatch(fields);
    default:
      return decodeState(fields, scope, previous);
  }
}

function decodeConversation(fields: Fields, seq: Id): Conversation | undefined {
  const { parent: from, owner } = fields;
  if (!fits(owner, id)) return undefined;
  const owned = { id: seq, ...(owner === undefined ? {} : { owner: owner as Id }) };
  if (from === undefined) return owned;
  const parent = fieldsOf(from);
  const conversationId = id(parent?.['conversationId']);
  const at = parent?.['at'] === 0 ? 0 : id(parent?.['at']);
  return conversationId === undefined || at === undefined ? undefined : { ...owned, parent: { conversationId, at } };
}

function decodeEntry(fields: Fields, seq: Id): MainWrite | undefined {
  const conversationId = id(fields['conversationId']);
  const kind = text(fields['kind']);
  const content = json(fields['content']);
  const [key, byTaskId] = [text(fields['key']), id(fields['byTaskId'])];
  if (conversationId === undefined || kind === undefined || content === undefined) return undefined;
  if (!fits(fields['key'], text) || !fits(fields['byTaskId'], id) || !fits(fields['head'], isTrue)) return undefined;
  return {
    type: 'entry',
    entry: {
      id: seq,
      conversationId,
      kind,
      content,
      ...(key === undefined ? {} : { key }),
      ...(fields['head'] === true ? { head: true } : {}),
      ...(byTaskId === undefined ? {} : { byTaskId }),
    },
  };
}

function decodeTask(fields: Fields, seq: Id): MainWrite | undefined {
  const conversationId = id(fields['conversationId']);
  const [kind, status, ofStatus] = [text(fields['kind']), text(fields['status']), role(fields['role'])];
  const [after, state] = [ids(fields['after']), json(fields['state'])];
  if (conversationId === undefined || kind === undefined || status === undefined) return undefined;
  if (ofStatus === undefined || after === undefined || state === undefined) return undefined;
  if (!fits(fields['background'], isTrue) || !fits(fields['abort'], isTrue)) return undefined;
  return {
    type: 'task',
    role: ofStatus,
    task: {
      id: seq,
      conversationId,
      kind,
      status,
      state,
      after,
      ...(fields['background'] === true ? { background: true } : {}),
      ...(fields['abort'] === true ? { abort: true } : {}),
    },
  };
}

function decodePatch(fields: Fields): MainWrite | undefined {
  const task = id(fields['id']);
  if (task === undefined || !fits(fields['status'], text) || !fits(fields['role'], role)) return undefined;
  if (!fits(fields['abort'], isTrue)) return undefined;
  const [status, ofStatus, state, abort] = [
    text(fields['status']),
    role(fields['role']),
    json(fields['state']),
    isTrue(fields['abort']),
  ];
  return {
    type: 'patch',
    id: task,
    ...(status === undefined ? {} : { status }),
    ...(ofStatus === undefined ? {} : { role: ofStatus }),
    ...(state === undefined ? {} : { state }),
    ...(abort === undefined ? {} : { abort }),
  };
}

function decodeState(fields: Fields, scope: Scope | undefined, previous: Previous): StateWrite | undefined {
  const { type } = fields;
  const addr = decodeAddress(fields, scope);
  if (addr === undefined) return undefined;
  switch (type) {
    case 'value.set': {
      const value = fields['ops'] === undefined ? json(fields['value']) : changed(fields['ops'], addr, previous);
      return value === undefined ? undefined : { type, addr, value };
    }
    case 'list.append': {
      const value = json(fields['value']);
      return value === undefined ? undefined : { type, addr, value };
    }
    case 'list.remove': {
      const element = id(fields['element']);
      return element === undefined ? undefined : { type, addr, element };
    }
    case 'value.delete':
    case 'list.clear':
      return { type, addr };
    default:
      return undefined;
  }
}

function decodeAddress(fields: Fields, scope: Scope | undefined): Address | undefined {
  const [conversation, namespace, key] = [id(fields['conversationId']), text(fields['namespace']), text(fields['key'])];
  if (namespace === undefined || !fits(fields['key'], text) || !fits(fields['rewind'], isTrue)) return undefined;
  if (!fits(fields['conversationId'], id)) return undefined;
  return {
    scope: scope ?? (conversation === undefined ? { session: true } : { conversation }),
    namespace,
    ...(key === undefined ? {} : { key }),
    rewind: fields['rewind'] === true,
  };
}

/** Undefined when there is nothing that the operations could change, or when they do not fit it. */
function changed(operations: unknown, { scope, namespace, key, rewind }: Address, previous: Previous): Json | undefined {
  const owner = 'conversation' in scope ? scope.conversation : 'scratch' in scope ? scope.scratch : 0;
  const before = previous(placeOf(owner, namespace, key), rewind);
  if (before === undefined || !Array.isArray(operations)) return undefined;
  try {
    return applied(before, operations);
  } catch {
    // Operations that their reader refuses, for a path that is not there or a shape that is none: the line is malformed.
    return undefined;
  }
}

function isState(write: MainWrite): write is StateWrite {
  return write.type.startsWith('value.') || write.type.startsWith('list.');
}
