/**
 * Native compactions. The model continues from `replacement_history`: its messages become the summary's, sealed items a
 * redacted mark. The copies in it are never prompts of their own, but they are all that is left when the file was rewritten
 * to begin here (openai/codex#41954): then they name the thread.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { AssistantBlock, Message, TextBlock } from '../../contract/message.ts';
import { count, field, filled, num, obj, objects, parseObject, str } from '../../kit/fields.ts';
import { contentBlocks, textOf } from './content.ts';
import { endMessage, noteFirstPrompt } from './messages.ts';
import { readOutput } from './output.ts';
import type { Reading } from './pen.ts';
import { isInjected, promptRuns } from './prompt.ts';
import type { Line } from './record.ts';

export function readCompacted(reading: Reading, line: Line): void {
  const { state, pen } = reading;
  const history = objects(line.payload, 'replacement_history');
  const text = str(line.payload, 'message') ?? '';
  const messages = history.flatMap(messageOf);
  const before = tokensBefore(line.payload, reading);
  endMessage(reading);
  pen.entry(
    'summary',
    { text, ...(messages.length > 0 && { messages }), ...(before !== undefined && { tokensBefore: before }) },
    'model',
  );
  state.compacted = true;
  if (!state.prompted) {
    const prompts = history.filter((item) => str(item, 'role') === 'user').flatMap((item) => promptRuns(item));
    const first = prompts.find((run) => run.origin === 'typed' && textOf(run.blocks) !== text);
    if (first !== undefined) noteFirstPrompt(reading, first.blocks);
  }
}

/** The UI's notice of a compaction; it says nothing new when the record itself was there. */
export function readCompactionItem(reading: Reading): void {
  if (!reading.state.compacted)
    reading.pen.entry('notice', { level: 'info', code: 'info', text: 'Context compacted' }, 'harness');
  reading.state.compacted = false;
}

function messageOf(item: JsonObject): readonly Message[] {
  switch (str(item, 'type') ?? '') {
    case 'message':
      return spoken(item);
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call': {
      const args = parseObject(str(item, 'arguments') ?? '') ?? { input: str(item, 'arguments') ?? str(item, 'input') ?? '' };
      return [
        {
          role: 'assistant',
          content: [{ type: 'toolCall', id: str(item, 'call_id') ?? '', name: filled(item, 'name') ?? 'tool', arguments: args }],
        },
      ];
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const output = readOutput(item);
      const failed = output.details.status !== undefined && output.details.status !== 'completed';
      return [
        { role: 'toolResult', toolCallId: str(item, 'call_id') ?? '', toolName: '', content: output.content, isError: failed },
      ];
    }
    case 'additional_tools':
      return [];
    default:
      return field(item, 'encrypted_content') === undefined ? [] : [{ role: 'assistant', content: [sealed] }];
  }
}

const sealed: AssistantBlock = { type: 'thinking', thinking: '', redacted: true };

function spoken(item: JsonObject): readonly Message[] {
  const role = str(item, 'role');
  const content = contentBlocks(item);
  if (content.length === 0) return [];
  if (role === 'assistant') return [{ role, content }];
  const text = content.filter((block): block is TextBlock => block.type === 'text');
  if (role === 'user') return isInjected(textOf(content)) ? [{ role: 'system', content: text }] : [{ role, content }];
  return text.length === 0 ? [] : [{ role: 'system', content: text }];
}

function tokensBefore(payload: JsonObject, reading: Reading): number | undefined {
  const latest = obj(obj(payload, 'latest_token_usage_record'), 'usage');
  const total = reading.state.usage.records ? undefined : reading.state.usage.total;
  return (
    count(latest, 'total_tokens') ??
    num(payload, 'tokens_before') ??
    (total === null || total === undefined ? undefined : total.input + total.output)
  );
}
