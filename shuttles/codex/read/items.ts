/** `item_completed`: the UI log of paginated rollouts (0.147 and later), one function call for each item type. */
import type { JsonObject } from '../../contract/json.ts';
import { filled, obj, str } from '../../kit/fields.ts';
import {
  agentFact,
  changeFact,
  collabFact,
  commandFact,
  imageMadeFact,
  imageViewFact,
  mcpFact,
  searchFact,
  type AgentFact,
} from './actions.ts';
import { learn } from './calls.ts';
import { readCompactionItem } from './compaction.ts';
import { expectEcho, isEcho } from './echo.ts';
import { readAgentItem, readReasoningItem, readUserItem } from './messages.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import { isForeign } from './state.ts';

export function readItem(reading: Reading, line: Line): void {
  const item = obj(line.payload, 'item');
  const type = str(item, 'type') ?? 'unknown';
  const turn = filled(line.payload, 'turn_id');
  if (item === undefined) return opaque(reading, 'item_completed');
  const foreign = isForeign(reading.state, str(line.payload, 'thread_id')) && !reading.pen.inherited;
  switch (type) {
    case 'UserMessage':
      // A review runs in a thread of its own and leaves its prompt here.
      return foreign ? foreignPrompt(reading, item) : readUserItem(reading, item);
    case 'AgentMessage':
      return readAgentItem(reading, item);
    case 'Reasoning':
      return readReasoningItem(reading, item);
    case 'CommandExecution':
      return learn(reading, commandFact(item), turn);
    case 'FileChange':
      return learn(reading, changeFact(item), turn);
    case 'McpToolCall':
      return learn(reading, mcpFact(item), turn);
    case 'WebSearch':
      return readSearch(reading, item, 'ui');
    case 'ImageView':
      return learn(reading, imageViewFact(item), turn);
    case 'ImageGeneration':
      return readImageMade(reading, item, 'ui');
    case 'SubAgentActivity':
      return readAgent(reading, agentFact(item), turn);
    case 'CollabAgentToolCall':
      return readAgent(reading, collabFact(item), turn);
    case 'ContextCompaction':
      return readCompactionItem(reading);
    case 'EnteredReviewMode':
      return readReviewStart(reading, item);
    case 'ExitedReviewMode':
      return readReviewEnd(reading, item);
    default:
      return opaque(reading, `item_completed.${type}`);
  }
}

/** A web search is run by the provider: no result is given to Codex, and the record itself is the action. */
export function readSearch(reading: Reading, item: JsonObject, form: 'model' | 'ui'): void {
  const said = { role: 'search', form, id: filled(item, 'call_id') ?? filled(item, 'id'), text: '' } as const;
  if (isEcho(reading.state, said)) return;
  learn(reading, searchFact(item), undefined);
  expectEcho(reading.state, said);
}

export function readImageMade(reading: Reading, item: JsonObject, form: 'model' | 'ui'): void {
  const said = { role: 'search', form, id: filled(item, 'call_id') ?? filled(item, 'id'), text: '' } as const;
  if (isEcho(reading.state, said)) return;
  learn(reading, imageMadeFact(item), undefined);
  expectEcho(reading.state, said);
}

export function readAgent(reading: Reading, fact: AgentFact, turn: string | undefined): void {
  const { agents, ...rest } = fact;
  const path = rest.details.extra?.['path'];
  for (const agent of agents)
    reading.pen.child(agent, rest.id === '' ? undefined : rest.id, typeof path === 'string' ? path : undefined);
  learn(reading, rest, turn);
}

export function readReviewStart(reading: Reading, item: JsonObject): void {
  const hint = filled(item, 'user_facing_hint') ?? filled(item, 'review') ?? str(obj(item, 'target'), 'type');
  reading.pen.entry(
    'notice',
    { level: 'info', code: 'review', text: hint === undefined ? 'Review started' : `Review started: ${hint}` },
    'harness',
  );
}

export function readReviewEnd(reading: Reading, item: JsonObject): void {
  const output = obj(item, 'review_output');
  const text = filled(output, 'overall_explanation') ?? filled(item, 'review');
  reading.pen.entry(
    'notice',
    { level: 'info', code: 'review', text: text === undefined ? 'Review finished' : `Review finished: ${text}` },
    'model',
  );
}

export function opaque(reading: Reading, nativeType: string): void {
  reading.pen.entry('opaque', { nativeType: nativeType.slice(0, 200) }, 'harness');
}

function foreignPrompt(reading: Reading, item: JsonObject): void {
  const text = filled(obj(item, 'content'), 'text') ?? firstText(item);
  reading.pen.entry('notice', { level: 'info', code: 'review', text }, 'harness');
}

function firstText(item: JsonObject): string {
  const content = item['content'];
  const parts = Array.isArray(content) ? content : [];
  for (const part of parts) if (typeof part === 'object' && part !== null && typeof part.text === 'string') return part.text;
  return '';
}
