/**
 * The reader of sessions of pi (0.73.1 and 1.6.0, headers of versions 1 to 4) and omp (18.2.3): a pure state machine over records, each
 * looked at by its type. What it does not know becomes an `opaque` entry in its place of the tree.
 */
import type { NativeRecord, Reader } from '../../contract/read.ts';
import {
  custom,
  branchSummary,
  compaction,
  contextEdit,
  label,
  sessionInfo,
  sessionInit,
  spentTokens,
  titleChange,
} from './entries.ts';
import { modeChange, modelChange, thinkingChange } from './settings.ts';
import { identify } from './identify.ts';
import { extensionPieces, readMessage } from './messages.ts';
import { piece, write, writeAtTip, type Page, type Piece } from './page.ts';
import { rowOf, type Row } from './row.ts';
import { noteHeader, noteSlot, noteTime, noteTold } from './session-facts.ts';
import { cut, draftOf, startState, type State } from './state.ts';

export const piReader: Reader<State> = {
  translator: 2,
  identify,
  start: startState,
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
  const type = value['type'];
  if (type === 'session') noteHeader(page, value);
  else if (type === 'title' && value['parentId'] === undefined) noteSlot(page, value);
  else {
    const row = rowOf(page.state, value, offset, length);
    noteTime(page, row.at);
    readEntry(page, row);
  }
  page.state.count++;
}

/** A record of the tree. OpenClaw writes the same ones. */
export function readEntry(page: Page, row: Row): void {
  if (row.type === 'message') return readMessage(page, row);
  write(page, row, pieces(page, row));
}

function pieces(page: Page, row: Row): readonly Piece[] {
  const { value } = row;
  switch (row.type) {
    case 'model_change':
      return modelChange(page, value);
    case 'thinking_level_change':
      return thinkingChange(page, value);
    case 'mode_change':
      return modeChange(page, value);
    case 'compaction':
      return compaction(page, value);
    case 'branch_summary':
      return branchSummary(value);
    case 'context_edit':
      return contextEdit(page, value, row.key);
    case 'custom_message':
      return extensionPieces(value);
    case 'session_info':
      return sessionInfo(page, value);
    case 'session_init':
      return sessionInit(value);
    case 'label':
      return label(value);
    case 'usage':
    case 'model_usage':
      return spentTokens(value);
    // omp's `/clear`: the model goes on without what stands before.
    case 'reset_boundary':
      return [piece('reset', { reason: 'cleared' }, 'harness')];
    case 'title_change':
      return titleChange(page, value);
    case 'custom':
      return custom(page, value);
    // Which tools are offered, which rules omp has put in, at which price and with which account: no part of the talk.
    case 'active_tools_change':
    case 'ttsr_injection':
    case 'service_tier_change':
    case 'credential_pin':
      return [];
    default:
      return [piece('opaque', { nativeType: cut(row.type === '' ? 'untyped' : row.type, 100) }, 'harness')];
  }
}

export function damaged(page: Page, record: Extract<NativeRecord, { ok: false }>): void {
  const { offset, length } = record;
  const reason = cut(record.reason, 300);
  page.out.push({ type: 'warning', offset, code: 'damaged', text: reason });
  writeAtTip(
    page,
    { offset, length, at: null },
    piece('opaque', { nativeType: 'damaged', damaged: true, note: reason }, 'harness'),
  );
}
