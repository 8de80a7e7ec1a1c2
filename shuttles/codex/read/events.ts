/**
 * `event_msg` records: turns, tokens and settings in all versions; in legacy rollouts also the UI log, as one event type for
 * each kind of item. What only repeats another record, or only tells that something goes on, makes no entry.
 */
import { filled, str } from '../../kit/fields.ts';
import type { JsonObject } from '../../contract/json.ts';
import { changeFact, collabFact, commandFact, imageViewFact, mcpFact } from './actions.ts';
import { learn } from './calls.ts';
import { readCompactionItem } from './compaction.ts';
import { opaque, readAgent, readImageMade, readItem, readReviewEnd, readReviewStart, readSearch } from './items.ts';
import { readAgentItem, readReasoningItem, readUserItem } from './messages.ts';
import type { Reading } from './pen.ts';
import { planCall } from './plan.ts';
import type { Line } from './record.ts';
import { readThreadSettings } from './settings.ts';
import { readRateLimits, readTrouble } from './trouble.ts';
import { readRollback, readTurnAborted, readTurnComplete, readTurnStarted } from './turns.ts';
import { readTokenCount } from './usage.ts';

export function readEvent(reading: Reading, line: Line): void {
  const event = line.payload;
  const type = str(event, 'type') ?? 'unknown';
  const turn = filled(event, 'turn_id');
  switch (type) {
    case 'task_started':
    case 'turn_started':
      return readTurnStarted(reading, line);
    case 'task_complete':
    case 'turn_complete':
      return readTurnComplete(reading, line);
    case 'turn_aborted':
      return readTurnAborted(reading, line);
    case 'thread_rolled_back':
      return readRollback(reading, line);
    case 'item_completed':
      return readItem(reading, line);
    case 'token_count':
      readTokenCount(reading, line);
      return readRateLimits(reading, line);
    case 'thread_settings_applied':
      return readThreadSettings(reading, line);
    case 'user_message':
      return readUserItem(reading, event);
    case 'agent_message':
      return readAgentItem(reading, event);
    case 'agent_reasoning':
      return readReasoningItem(reading, event);
    case 'exec_command_end':
      return learn(reading, commandFact(event), turn);
    case 'patch_apply_end':
      return learn(reading, changeFact(event), turn);
    case 'mcp_tool_call_end':
      return learn(reading, mcpFact(event), turn);
    case 'web_search_end':
      return readSearch(reading, event, 'ui');
    case 'view_image_tool_call':
      return learn(reading, imageViewFact(event), turn);
    case 'image_generation_end':
      return readImageMade(reading, event, 'ui');
    case 'collab_agent_spawn_end':
      return readAgent(reading, collabFact(spawned(event)), turn);
    case 'plan_update':
      return planCall(reading, event);
    case 'entered_review_mode':
      return readReviewStart(reading, event);
    case 'exited_review_mode':
      return readReviewEnd(reading, event);
    case 'context_compacted':
      return readCompactionItem(reading);
    case 'thread_name_updated':
      return name(reading, event);
    case 'error':
    case 'stream_error':
    case 'warning':
      return readTrouble(reading, line, type);
    default:
      if (!isNoise(type)) opaque(reading, `event_msg.${type}`);
  }
}

/** Beginnings, deltas and requests: their outcome is a record of its own. */
export function isNoise(type: string): boolean {
  return noise.has(type) || /(?:_begin|_delta|_started|_request|_progress|_response)$/.test(type);
}

const noise = new Set([
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'background_event',
  'deprecation_notice',
  'mcp_startup_complete',
  'mcp_startup_update',
  'model_reroute',
  'raw_response_item',
  'session_configured',
  'shutdown_complete',
  'skills_update_available',
  'terminal_interaction',
  'turn_diff',
  'undo_completed',
]);

function spawned(event: JsonObject): JsonObject {
  const agent = str(event, 'new_thread_id');
  return { ...event, tool: 'spawn', receiver_thread_ids: agent === undefined ? [] : [agent] };
}

function name(reading: Reading, event: JsonObject): void {
  const title = filled(event, 'thread_name') ?? filled(event, 'name');
  if (title !== undefined) reading.pen.facts({ generatedTitle: title });
}
