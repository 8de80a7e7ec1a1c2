/**
 * The reader of Antigravity's conversations, from whichever file tells them best: the store's steps, a transcript, or only that the
 * conversation exists; artifacts and the index add to it. A pure state machine over records, each looked at by its kind.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, Reader } from '../../contract/read.ts';
import { bool, filled, num, str } from '../../kit/fields.ts';
import { readArtifact } from './artifact.ts';
import { identify, ranked } from './identify.ts';
import { noteFacts, piece, write, type Page } from './page.ts';
import { sidecarFacts } from './sidecar-facts.ts';
import { cut, draftOf, startState, type State } from './state.ts';
import { readConversation, readStep } from './steps.ts';
import { isLine, readLine } from './transcript.ts';

export const antigravityReader: Reader<State> = {
  translator: 2,
  ranked,
  identify,
  start: startState,
  sidecarFacts,
  read(before, records) {
    const page: Page = { state: draftOf(before), out: [], facts: {} };
    if (page.state.told !== null) Object.assign(page.facts, page.state.told);
    page.state.told = null;
    for (const record of records) readRecord(page, record);
    if (Object.keys(page.facts).length > 0) page.out.push({ type: 'facts', facts: page.facts });
    return { state: page.state, outputs: page.out };
  },
};

function readRecord(page: Page, record: NativeRecord): void {
  if (!record.ok) return damaged(page, record);
  const { value, offset, length } = record;
  switch (str(value, 'record') ?? '') {
    case 'conversation':
      return readConversation(page, value);
    case 'step':
      return readStep(page, value, offset, length);
    case 'artifact':
      return readArtifact(page, value, offset, length);
    case 'summary':
      return readSummary(page, value);
    case 'sealed':
      return readSealed(page, value, offset, length);
    default:
      if (isLine(value)) return readLine(page, value, offset, length);
      return write(page, { offset, length, at: null, key: `@${offset}` }, [
        piece('opaque', { nativeType: cut(str(value, 'type') ?? 'untyped', 100) }, 'harness'),
      ]);
  }
}

function readSummary(page: Page, value: JsonObject): void {
  const [title, cwd, updatedAt] = [filled(value, 'title'), filled(value, 'cwd'), num(value, 'updatedAt')];
  noteFacts(page, {
    ...(title === undefined ? {} : { generatedTitle: cut(title, 400) }),
    ...(cwd === undefined ? {} : { startCwd: cwd, cwd }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  });
}

function readSealed(page: Page, value: JsonObject, offset: number, length: number): void {
  const changedAt = num(value, 'changedAt');
  if (changedAt !== undefined) noteFacts(page, { updatedAt: changedAt });
  const text =
    bool(value, 'encrypted') === true
      ? 'Antigravity keeps this conversation encrypted with a key of its own: Loom lists it, but cannot read it.'
      : 'This conversation is stored in a form that this version of Loom does not know: it is listed, but not read.';
  write(page, { offset, length, at: null, key: 'sealed' }, [
    piece('notice', { level: 'warning', code: 'info', text }, 'harness'),
  ]);
}

function damaged(page: Page, record: Extract<NativeRecord, { ok: false }>): void {
  const { offset, length } = record;
  const note = cut(record.reason, 300);
  page.out.push({ type: 'warning', offset, code: 'damaged', text: note });
  write(page, { offset, length, at: null, key: `@${offset}` }, [
    piece('opaque', { nativeType: 'damaged', damaged: true, note }, 'harness'),
  ]);
}
