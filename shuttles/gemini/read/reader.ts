/**
 * The reader of Gemini CLI's sessions (0.61.0; the whole JSON files of older versions come as the same records): a pure state machine
 * over operations on a history. What it does not know becomes an `opaque` entry where it stands.
 */
import type { NativeRecord, Reader } from '../../contract/read.ts';
import { field, filled, obj, objects, str } from '../../kit/fields.ts';
import { readMessage, replaceAll, rewind } from './history.ts';
import { headerId, identify } from './identify.ts';
import { piece, writeAtTail, type Page } from './page.ts';
import { noteHeader, noteTold } from './session-facts.ts';
import { sidecarFacts } from './sidecar-facts.ts';
import { cut, draftOf, startState, type State } from './state.ts';

export const geminiReader: Reader<State> = {
  translator: 3,
  identify,
  start: startState,
  sidecarFacts,
  read(before, records) {
    const page: Page = { state: draftOf(before), out: [], facts: {} };
    noteTold(page);
    for (const record of records) readRecord(page, record);
    if (Object.keys(page.facts).length > 0) page.out.push({ type: 'facts', facts: page.facts });
    return { state: page.state, outputs: page.out };
  },
};

function readRecord(page: Page, record: NativeRecord): void {
  if (!record.ok) return damaged(page, record);
  const { value, offset, length } = record;
  const origin = { offset, length, at: null };
  const rewindTo = str(value, '$rewindTo');
  const set = obj(value, '$set');
  // The history as it stands, its calls put together with their results, so that the program can go on from it: nothing is new in it.
  if (str(obj(value, 'loom'), 'kind') === 'paired') return;
  if (rewindTo !== undefined) rewind(page, rewindTo);
  else if (field(value, 'type') !== undefined && filled(value, 'id') !== undefined) readMessage(page, value, origin);
  else if (set !== undefined) {
    noteHeader(page, set);
    replaceAll(page, objects(set, 'messages'), origin);
  } else if (headerId(value) !== undefined) {
    noteHeader(page, value);
    replaceAll(page, objects(value, 'messages'), origin);
  } else writeAtTail(page, origin, piece('o', 'opaque', { nativeType: cut(str(value, 'type') ?? 'untyped', 100) }, 'harness'));
}

function damaged(page: Page, record: Extract<NativeRecord, { ok: false }>): void {
  const { offset, length } = record;
  const note = cut(record.reason, 300);
  page.out.push({ type: 'warning', offset, code: 'damaged', text: note });
  writeAtTail(
    page,
    { offset, length, at: null },
    piece('o', 'opaque', { nativeType: 'damaged', damaged: true, note }, 'harness'),
  );
}
