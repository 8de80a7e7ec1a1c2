/**
 * The reader of sessions of OpenClaw (rows of 2026.9.6, files of 2026.6.11). Its events are pi's, so that pi's reading of them is used;
 * what is read here is OpenClaw's own: who wrote a prompt, resets within a session, copies of what was sent to a chat, calls within calls
 * and what its tables tell. A pure state machine.
 */
import type { NativeRecord, Reader } from '../../contract/read.ts';
import { filled } from '../../kit/fields.ts';
import { piece, write } from '../../pi/read/page.ts';
import { damaged, piReader, readEntry } from '../../pi/read/reader.ts';
import { rowOf, type Row } from '../../pi/read/row.ts';
import { noteHeader, noteTime, noteTold } from '../../pi/read/session-facts.ts';
import { cut } from '../../pi/read/state.ts';
import { sessionRecordType } from '../store/session-record.ts';
import { identify, sidecarFacts } from './identify.ts';
import { readMessage } from './messages.ts';
import { draftOf, startState, type Page, type State } from './state.ts';
import { takeSession } from './told.ts';

/** Raised for what is read here; pi's own rises with its reading. */
const own = 3;

export const openclawReader: Reader<State> = {
  translator: own * 1000 + piReader.translator,
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
  if (value['type'] === sessionRecordType) return takeSession(page, value);
  if (value['type'] === 'session') noteHeader(page, value);
  else {
    const row = rowOf(page.state, value, offset, length);
    noteTime(page, row.at);
    readEvent(page, row);
  }
  page.state.count++;
}

function readEvent(page: Page, row: Row): void {
  switch (row.type) {
    case 'message':
      return readMessage(page, row);
    case 'reset':
      page.state.answered = false;
      return write(page, row, [piece('reset', { reason: cut(filled(row.value, 'reason') ?? 'reset', 100) }, 'harness')]);
    default: {
      const before = page.out.length;
      readEntry(page, row);
      if (page.state.relays) relay(page, before);
    }
  }
}

/** A summary of a session in which others had a say stands in the user's place, and is no more the person's word than theirs. */
function relay({ out }: Page, from: number): void {
  for (const [index, output] of out.entries())
    if (index >= from && output.type === 'entry' && output.kind === 'summary') out[index] = { ...output, trust: 'chat' };
}
