/**
 * Lines of a session's files (engine specification 7.4): a header, then one batch a line. Payloads are spliced in as the JSON that they
 * were prepared to. Ids are not written: write i of a line has the number `first + i`.
 */
import type { Place } from '../place.ts';
import type { PreparedBatch, PreparedState, PreparedWrite } from '../memory/prepare.ts';
import { operationsBetween } from './delta.ts';
import { checkNesting } from './nesting.ts';

/** JSON of the value that a place has before the batch. */
export type Previous = (place: Place, rewind: boolean) => string | undefined;

export function headerLine(version: string): string {
  return `${JSON.stringify({ session: 'engine', version })}\n`;
}

export function batchLine(batch: PreparedBatch, previous: Previous): string {
  const writes = batch.writes.map((write) => encode(write, batch.kind === 'scratch', previous));
  return `{"first":${batch.first},"writes":[${writes.join(',')}]}\n`;
}

function encode(write: PreparedWrite, isScratch: boolean, previous: Previous): string {
  switch (write.type) {
    case 'createConversation': {
      const { parent, owner } = write.conversation;
      return JSON.stringify({ type: write.type, parent, owner });
    }
    case 'deleteConversation':
      return JSON.stringify(write);
    case 'entry': {
      const { id: _, ...header } = write.header;
      return withPayload({ type: write.type, ...header }, 'content', write.text);
    }
    case 'task': {
      const { id: _, text, background, abort, ...task } = write.task;
      const flags = { background: background || undefined, abort: abort || undefined };
      return withPayload({ type: write.type, ...task, ...flags }, 'state', text);
    }
    case 'change': {
      const { text, ...change } = write.change;
      return withPayload({ type: 'patch', id: write.id, ...change }, 'state', text);
    }
    case 'value.set': {
      // Also what a place gets later in a batch is a change of what was there before the batch.
      const before = previous(write.place, write.rewind);
      const operations = before === undefined ? undefined : operationsBetween(before, write.text);
      if (operations !== undefined) return withPayload(address(write, isScratch), 'ops', operations);
      return withPayload(address(write, isScratch), 'value', write.text);
    }
    case 'list.append':
      return withPayload(address(write, isScratch), 'value', write.text);
    case 'list.remove':
      return JSON.stringify({ ...address(write, isScratch), element: write.element });
    case 'value.delete':
    case 'list.clear':
      return JSON.stringify(address(write, isScratch));
  }
}

/** State of no conversation is the session's, or in a scratch file the task's. */
function address({ type, place, rewind }: PreparedState, isScratch: boolean): object {
  return {
    type,
    conversationId: isScratch || place.id === 0 ? undefined : place.id,
    rewind: rewind || undefined,
    namespace: place.namespace,
    key: place.key === '' ? undefined : place.key.slice(1),
  };
}

function withPayload(record: object, name: string, text: string | undefined): string {
  const json = JSON.stringify(record);
  if (text !== undefined) checkNesting(text);
  return text === undefined ? json : `${json.slice(0, -1)},"${name}":${text}}`;
}
