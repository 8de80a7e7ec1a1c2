/**
 * The reader of Claude Code transcripts (2.0.77 to 2.1.332): a pure state machine over records. Every record is looked at by
 * its type; what it does not know becomes an `opaque` entry, what is only the program's bookkeeping becomes nothing.
 */
import type { NativeRecord, Reader, ReadOutput } from '../../contract/read.ts';
import { bool, field, filled } from '../../kit/fields.ts';
import { readAssistant } from './assistant.ts';
import { readAttachment } from './attachment.ts';
import { identify } from './identify.ts';
import { piece, write, writeAtTip, type Page } from './page.ts';
import { readQueue, tellUndelivered } from './queue.ts';
import { recordKey, placeKey, rowOf, type Row } from './row.ts';
import { noteEnvelope, noteMoved, noteSummaryLeaf, noteTitle } from './session-facts.ts';
import { sidecarFacts } from './sidecar-facts.ts';
import { cut, draftOf, startState, type State } from './state.ts';
import { readSystem } from './system.ts';
import { readUser } from './user.ts';

export const claudeReader: Reader<State> = {
  translator: 2,
  identify,
  start: startState,
  read(before, records) {
    const page: Page = { state: draftOf(before), out: [], facts: {} };
    for (const record of records) readRecord(page, record);
    const outputs: ReadOutput[] = page.out;
    if (Object.keys(page.facts).length > 0) outputs.push({ type: 'facts', facts: page.facts });
    return { state: page.state, outputs };
  },
  sidecarFacts,
};

function readRecord(page: Page, record: NativeRecord): void {
  if (!record.ok) return damaged(page, record);
  const row = rowOf(page.state, record.value, record.offset, record.length);
  switch (row.type) {
    case 'user':
      return readTree(page, row, readUser);
    case 'assistant':
      tellUndelivered(page, row);
      return readTree(page, row, readAssistant);
    case 'system':
      return readTree(page, row, readSystem);
    case 'attachment':
      return readTree(page, row, readAttachment);
    case 'queue-operation':
      return readQueue(page, row);
    case 'last-prompt':
      return readHead(page, row);
    case 'custom-title':
    case 'ai-title':
    case 'summary':
      return noteTitle(page, row);
    case 'relocated':
      return noteMoved(page, row);
    default:
      return other(page, row);
  }
}

function readTree(page: Page, row: Row, read: (page: Page, row: Row) => void): void {
  noteEnvelope(page, row);
  noteSummaryLeaf(page, row);
  read(page, row);
}

/** `explicit`: exactly that record; else the newest leaf below it. The nil uuid, and an unknown one, stand for no choice. */
function readHead(page: Page, row: Row): void {
  const leaf = filled(row.value, 'leafUuid');
  if (leaf === undefined) return;
  const nil = /^[0-]+$/.test(leaf);
  page.out.push({
    type: 'head',
    key: nil ? null : recordKey(page.state.id, leaf),
    exact: !nil && bool(row.value, 'explicit') === true,
  });
}

/** Bookkeeping of the program. `api-request-blob` and its kin repeat prompts and system texts: reading them would double those. */
const bookkeeping =
  /^(?:api-request.*|file-history-.*|artifact-.*|mode|permission-mode|tools-used|atis-latch|cost-state|agent-(?:name|color|setting)|progress|content-replacement|tag|pr-link|worktree-state|derived-from|continued-in|resume-head-vouch|fork-context-ref|bridge-session|session-owner|isolation-latch|history-suppression|attribution-snapshot|memory-mode|frame-link|observer-ref|data-flow-records|ended-by-model|speculation-accept|last-session|marble-origami.*)$/;

function other(page: Page, row: Row): void {
  const inTree = row.uuid !== undefined && field(row.value, 'parentUuid') !== undefined;
  if (bookkeeping.test(row.type)) {
    if (inTree) write(page, row, []);
    return;
  }
  const unknown = piece('opaque', { nativeType: cut(row.type === '' ? 'untyped' : row.type, 100) }, 'harness');
  if (inTree) write(page, row, [unknown]);
  else writeAtTip(page, row, unknown);
}

function damaged(page: Page, record: Extract<NativeRecord, { ok: false }>): void {
  const { offset, length } = record;
  const reason = cut(record.reason, 300);
  page.out.push({ type: 'warning', offset, code: 'damaged', text: reason });
  page.out.push({
    type: 'entry',
    kind: 'opaque',
    content: { nativeType: 'damaged', damaged: true, note: reason },
    at: null,
    trust: 'harness',
    place: { kind: 'tip' },
    keys: [placeKey(page.state.id, offset)],
    offset,
    length,
  });
}
