/**
 * Tokens, each counted once. Since about 0.147 a `token_usage_record` tells each model response by its id. Before, there is only
 * the cumulative `token_count`, which is repeated at will, copied into forks and may restart: its growth counts, and a drop
 * begins a new base (ccusage/ccusage#1288). The tokens are said by an assistant entry without blocks, because they come
 * after the blocks that they paid for.
 */
import type { Usage } from '../../contract/message.ts';
import type { JsonObject } from '../../contract/json.ts';
import { count, obj, str } from '../../kit/fields.ts';
import { endMessage } from './messages.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import { isForeign, remember, type Tokens } from './state.ts';

export function readUsageRecord(reading: Reading, line: Line): void {
  const { state, pen } = reading;
  const usage = tokensOf(obj(line.payload, 'usage'));
  if (usage === undefined) return;
  state.usage.records = true;
  if (isForeign(state, str(line.payload, 'thread_id')) && !pen.inherited) return;
  const response = str(line.payload, 'response_id');
  if (response !== undefined) {
    if (state.usage.responses.includes(response)) return;
    remember(state.usage.responses, response, 64);
  }
  spend(reading, usage, response);
}

export function readTokenCount(reading: Reading, line: Line): void {
  const { state } = reading;
  const info = obj(line.payload, 'info');
  const total = tokensOf(obj(info, 'total_token_usage'));
  if (total === undefined) return;
  const before = state.usage.total;
  state.usage.total = total;
  if (state.usage.records) return;
  const last = tokensOf(obj(info, 'last_token_usage'));
  // A fork's first total holds its base's tokens; what the last response took is its own.
  if (before === null && state.usage.forked && !reading.pen.inherited && last !== undefined)
    return spend(reading, last, undefined);
  if (before === null) return spend(reading, total, undefined);
  const dropped = names.some((name) => total[name] < before[name]);
  spend(reading, dropped ? total : minus(total, before), undefined);
}

const names = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const;

function spend(reading: Reading, tokens: Tokens, response: string | undefined): void {
  if (tokens.input === 0 && tokens.output === 0) return;
  const { state, pen } = reading;
  const usage: Usage = {
    // Codex counts cached tokens as input, and reasoning as output.
    input: Math.max(0, tokens.input - tokens.cached - tokens.cacheWrite),
    output: tokens.output,
    cacheRead: tokens.cached,
    cacheWrite: tokens.cacheWrite,
    ...(tokens.reasoning > 0 && { reasoning: tokens.reasoning }),
  };
  pen.entry(
    'assistant',
    {
      content: [],
      messageId: state.message ?? response ?? pen.key,
      ...(state.settings.model !== undefined && { model: state.settings.model }),
      ...(state.provider !== null && { provider: state.provider }),
      usage,
    },
    'harness',
    { nativeId: response },
  );
  endMessage(reading);
}

function tokensOf(usage: JsonObject | undefined): Tokens | undefined {
  if (usage === undefined) return undefined;
  return {
    input: count(usage, 'input_tokens') ?? 0,
    cached: count(usage, 'cached_input_tokens') ?? 0,
    cacheWrite: count(usage, 'cache_write_input_tokens') ?? 0,
    output: count(usage, 'output_tokens') ?? 0,
    reasoning: count(usage, 'reasoning_output_tokens') ?? 0,
  };
}

function minus(total: Tokens, before: Tokens): Tokens {
  const growth = { ...total };
  for (const name of names) growth[name] -= before[name];
  return growth;
}
