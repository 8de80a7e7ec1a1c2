/**
 * The read stage of Codex: rollout records of 0.20 to 0.171 to entries. `response_item` is what the model is given and makes
 * the conversation; the UI log adds what the model is not told. Pure and total: every record becomes outputs, or is one of the
 * kinds named here that only repeat or prepare others.
 */
import type { JsonValue } from '../../contract/json.ts';
import type { NativeRecord, Reader, ReadOutput } from '../../contract/read.ts';
import { copiedState } from '../../kit/copied-state.ts';
import { filled, obj, objects, str } from '../../kit/fields.ts';
import { readCall, readResult } from './calls.ts';
import { readCompacted } from './compaction.ts';
import { isCopy } from './copied.ts';
import { imageBlock } from './content.ts';
import { readEvent } from './events.ts';
import { identify } from './identify.ts';
import { opaque, readImageMade, readSearch } from './items.ts';
import { damagedKey, keyOf, placeName } from './keys.ts';
import { assistantEntry, readAgentMail, readMessage, readReasoning } from './messages.ts';
import { Pen, type Reading } from './pen.ts';
import { toLine, type Line } from './record.ts';
import { readMeta } from './session-meta.ts';
import { readTurnContext } from './settings.ts';
import { sidecarFacts } from './sidecar-facts.ts';
import { startState, type CodexState } from './state.ts';
import { readUsageRecord } from './usage.ts';
import { writtenTurn } from './written-turn.ts';

export const codexReader: Reader = {
  translator: 2,
  identify,
  start: startState,
  read(
    state: JsonValue,
    records: readonly NativeRecord[],
  ): { readonly state: CodexState; readonly outputs: readonly ReadOutput[] } {
    // States that an earlier version saved have none of these.
    const next = Object.assign({ trouble: null, limit: null }, copiedState(state) as CodexState);
    const pen = new Pen(next);
    for (const record of records) readRecord({ state: next, pen }, record);
    return { state: next, outputs: pen.outputs };
  },
  sidecarFacts,
};

function readRecord(reading: Reading, record: NativeRecord): void {
  const { state, pen } = reading;
  if (!record.ok) {
    pen.begin(record, damagedKey(state, record), null, state.copied !== null);
    pen.entry('opaque', { nativeType: 'damaged', damaged: true, note: record.reason.slice(0, 500) }, 'harness');
    return;
  }
  const line = toLine(record.value);
  const copied = isCopy(state, line);
  noteImport(reading, line);
  pen.begin(record, keyOf(state, line), line.at, copied || state.importing, placeName(state, line.ordinal));
  readLine(reading, line);
  pen.end();
}

function readLine(reading: Reading, line: Line): void {
  switch (line.type) {
    case 'session_meta':
      return readMeta(reading, line);
    case 'response_item':
      return readResponseItem(reading, line);
    case 'event_msg':
      return readEvent(reading, line);
    case 'turn_context':
      return readTurnContext(reading, line);
    case 'compacted':
      return readCompacted(reading, line);
    case 'token_usage_record':
      return readUsageRecord(reading, line);
    case 'inter_agent_communication':
      return readAgentMail(reading, line.payload);
    case 'world_state':
    case 'dynamic_tools_updated':
    case 'inter_agent_communication_metadata':
    case 'retained_context':
    case 'agent_response_observation':
    case 'state':
      return;
    default:
      return opaque(reading, line.type);
  }
}

function readResponseItem(reading: Reading, line: Line): void {
  const item = line.payload;
  const type = str(item, 'type') ?? 'unknown';
  switch (type) {
    case 'message':
      return readMessage(reading, line);
    case 'reasoning':
      return readReasoning(reading, item);
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'tool_search_call':
      return readCall(reading, item);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return readResult(reading, item);
    case 'tool_search_output':
      return readResult(reading, {
        ...item,
        output: str(item, 'output') ?? JSON.stringify(objects(item, 'tools').map((tool) => str(tool, 'name'))),
      });
    case 'web_search_call':
      return readSearch(reading, item, 'model');
    case 'image_generation_call':
      return readImage(reading, item);
    case 'agent_message':
      return readAgentMail(reading, item);
    case 'ghost_snapshot': {
      const ref = filled(obj(item, 'ghost_commit'), 'id');
      return ref === undefined
        ? opaque(reading, 'response_item.ghost_snapshot')
        : reading.pen.entry('snapshot', { ref }, 'harness');
    }
    case 'additional_tools':
    case 'compaction':
    case 'context_compaction':
    case 'compaction_trigger':
      return;
    default:
      return opaque(reading, `response_item.${type}`);
  }
}

/** The picture is part of the model's answer; how it came about is an action. */
function readImage(reading: Reading, item: Line['payload']): void {
  readImageMade(reading, item, 'model');
  const result = filled(item, 'result');
  const image =
    result === undefined ? undefined : imageBlock(result.startsWith('data:') ? result : `data:image/png;base64,${result}`);
  if (image !== undefined) assistantEntry(reading, [image], { nativeId: str(item, 'id') });
}

/** Codex's own import of another agent's session (0.166, 0.171), and what Loom wrote: these turns were never held here. */
function noteImport(reading: Reading, line: Line): void {
  if (line.type !== 'event_msg' || str(line.payload, 'type') !== 'task_started') return;
  const turn = str(line.payload, 'turn_id') ?? '';
  const imported = turn.startsWith('external-import-turn-');
  reading.state.importing = imported || turn.startsWith(writtenTurn);
  if (imported) reading.pen.facts({ importedFrom: { harness: 'claude' } });
}
