/**
 * Antigravity's files that are no lines: a database with the steps of one conversation, the index of all, an artifact, and conversations
 * of older versions, which are encrypted with a key of the program's and are only listed. A database of an unknown kind is only listed too.
 */
import { createHash } from 'node:crypto';
import type { Container, Held, HeldSession } from '../../contract/container.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, Sidecars } from '../../contract/read.ts';
import { field, filled, isoTime, parseObject } from '../../kit/fields.ts';
import { heldNames, kindOf } from '../places.ts';
import { anyDecodes, conversationRecords, lengthOf } from './conversation.ts';
import { indexRecords, indexSessions } from './index-rows.ts';
import { isKnownConversation, isKnownIndex } from './schema.ts';
import { record } from './step.ts';

export const antigravityContainer: Container = {
  form: 'database',
  formOf(relative) {
    const kind = kindOf(relative)?.kind;
    return kind === 'sealed' ? 'listed' : kind === 'artifact' ? 'document' : 'database';
  },
  holds(relative) {
    const kind = kindOf(relative)?.kind;
    return kind === 'store' || kind === 'index' || kind === 'sealed' || kind === 'artifact';
  },
  sessions(held) {
    switch (held.form) {
      case 'listed':
        return {
          sessions: [
            { name: heldNames.sealed, length: 1, ...(held.changedAt === undefined ? {} : { updatedAt: held.changedAt }) },
          ],
        };
      case 'document':
        // Every version of an artifact is a session of its own: what was read once stays as it is.
        return { sessions: [{ name: versionOf(held.text), length: 1 }] };
      case 'database':
        return { sessions: databaseSessions(held) };
    }
  },
  *records(held, name, from, sidecars) {
    if (held.form === 'document') yield* artifactRecords(held, name, from, sidecars);
    else if (name === heldNames.sealed) {
      if (from === 0) yield { ok: true, offset: 0, length: 1, value: sealedRecord(held) };
    } else if (held.form === 'database' && name === heldNames.steps) yield* conversationRecords(held.tables, from);
    else if (held.form === 'database') yield* indexRecords(held.tables, name, from);
  },
};

function sealedRecord(held: Held): JsonObject {
  return record({
    record: 'sealed',
    encrypted: held.form === 'listed',
    changedAt: held.form === 'listed' ? held.changedAt : undefined,
  });
}

function databaseSessions({ path, tables }: Extract<Held, { form: 'database' }>): readonly HeldSession[] {
  if (/[\\/]conversation_summaries\.db$/.test(path)) return isKnownIndex(tables) ? indexSessions(tables) : [];
  if (!isKnownConversation(tables) || !anyDecodes(tables)) return [{ name: heldNames.sealed, length: 1 }];
  const length = lengthOf(tables);
  // Nothing in it has settled yet.
  return length === 1 ? [] : [{ name: heldNames.steps, length }];
}

function* artifactRecords(
  { path, text }: Extract<Held, { form: 'document' }>,
  name: string,
  from: number,
  sidecars: Sidecars,
): Iterable<NativeRecord> {
  if (from > 0 || versionOf(text) !== name) return;
  const beside = parseObject(sidecars.text(`${path}.metadata.json`) ?? '');
  yield {
    ok: true,
    offset: 0,
    length: 1,
    value: record({
      record: 'artifact',
      text,
      type: filled(beside, 'artifactType'),
      summary: filled(beside, 'summary'),
      updatedAt: isoTime(field(beside, 'updatedAt')) ?? undefined,
    }),
  };
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
