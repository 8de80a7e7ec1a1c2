/**
 * Prompts that were typed while a turn ran. `queue-operation` records only tell of the waiting: a dequeued text comes back as
 * a user record, an attached one as `queued_command` (its queue record says `remove`), and a text that was removed and never
 * attached was not delivered. So the text of a queue record becomes a notice once it is sure that nothing delivers it.
 */
import { filled, str } from '../../kit/fields.ts';
import { piece, writeAtTip, type Page } from './page.ts';
import { isMarkup } from './prompt.ts';
import { placeKey, type Row } from './row.ts';
import { cut, remember, type QueuedPrompt, type State } from './state.ts';

const kept = 2000;

export function readQueue(page: Page, row: Row): void {
  const { state } = page;
  const text = filled(row.value, 'content');
  switch (str(row.value, 'operation') ?? '') {
    case 'enqueue':
      if (text !== undefined)
        remember(state, 'queue', { text: cut(text, kept), at: row.at, offset: row.offset, length: row.length });
      return;
    case 'dequeue':
      take(state, text);
      return;
    case 'remove': {
      const item = take(state, text);
      if (item !== undefined) remember(state, 'removed', item);
      return;
    }
    case 'popAll':
      // Taken back into the input field: the person still has them.
      state.queue = [];
      return;
    default:
  }
}

function take(state: State, text: string | undefined): QueuedPrompt | undefined {
  const index = text === undefined ? 0 : state.queue.findIndex((item) => item.text === cut(text, kept));
  return index < 0 ? undefined : state.queue.splice(index, 1)[0];
}

/** An attachment brought this text to the model. */
export function delivered(state: State, text: string): void {
  const index = state.removed.findIndex((item) => item.text === cut(text, kept));
  if (index >= 0) state.removed.splice(index, 1);
}

/** The model goes on: what was removed and has not come by now never will. */
export function tellUndelivered(page: Page, row: Row): void {
  const { state } = page;
  const items = state.removed;
  state.removed = [];
  for (const item of items) {
    if (isMarkup(item.text)) continue;
    const place: Row = {
      ...row,
      key: placeKey(state.id, item.offset),
      uuid: undefined,
      at: item.at,
      offset: item.offset,
      length: item.length,
    };
    writeAtTip(page, place, piece('notice', { level: 'info', code: 'queued', text: item.text }, 'user'));
  }
}
