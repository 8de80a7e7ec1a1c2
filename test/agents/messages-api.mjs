/**
 * A loopback model that speaks the Anthropic Messages API (streaming), for the real `claude`. It answers with the scenario
 * that the newest prompt asks for and keeps every request.
 */
import crypto from 'node:crypto';
import path from 'node:path';
import { eventStream, listen, pieces, sendJson } from './loopback.mjs';
import { answerTo } from './scenarios.mjs';

/**
 * @param {string} cwd the project folder, since this harness's file tools take absolute paths
 * @param content neutral blocks as content blocks, for another program with tools of its own that speaks this protocol
 */
export async function startMessagesApi(cwd, content = contentOf) {
  return listen((request, response) => {
    if (request.method === 'POST' && request.path === '/v1/messages')
      return answer(request.body, response, (blocks) => content(blocks, cwd));
    if (request.path === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: 100 });
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: `no route ${request.path}` } });
  });
}

const id = (prefix) => `${prefix}_${crypto.randomBytes(12).toString('hex')}`;
/** What programs add to a prompt by themselves. */
const reminder =
  /<system-reminder>[\s\S]*?<\/system-reminder>|<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/g;

/** The prompt that this request is about, and how many model messages came after it. */
function turnOf(messages) {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, content } = messages[index];
    if (role !== 'user') continue;
    const texts =
      typeof content === 'string' ? [content] : content.filter((block) => block.type === 'text').map((block) => block.text);
    const own = texts.map((text) => text.replace(reminder, '').trim()).filter(Boolean);
    if (own.length === 0) continue;
    return { prompt: own.at(-1), round: messages.slice(index + 1).filter((message) => message.role === 'assistant').length };
  }
  return { prompt: '', round: 0 };
}

/** Neutral blocks as content blocks of an assistant message, with the tools that the program offered. */
function contentOf(blocks, cwd) {
  const file = (name) => path.join(cwd, name);
  return blocks.flatMap((block) => {
    if (block.think)
      return [
        { type: 'thinking', thinking: block.think, signature: Buffer.from(`signed ${block.think.length}`).toString('base64') },
      ];
    if (block.say) return [{ type: 'text', text: block.say }];
    if (block.run) return [call('Bash', { command: block.run, description: 'Run a command' })];
    if (block.read) return [call('Read', { file_path: file(block.read) })];
    if (block.write) return [call('Write', { file_path: file(block.write[0]), content: block.write[1] })];
    if (block.edit)
      return [call('Edit', { file_path: file(block.edit[0]), old_string: block.edit[1], new_string: block.edit[2] })];
    if (block.helper)
      return [
        call('Agent', {
          description: 'Look at the price',
          prompt: block.helper,
          subagent_type: 'general-purpose',
          run_in_background: false,
        }),
      ];
    if (block.loom) return [call(`mcp__loom__${block.loom[0]}`, block.loom[1])];
    if (block.plan) {
      const status = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' };
      return [
        call('TodoWrite', {
          todos: block.plan.map(([text, state]) => ({ content: text, activeForm: text, status: status[state] })),
        }),
      ];
    }
    return [];
  });
}
const call = (name, input) => ({ type: 'tool_use', id: id('toolu'), name, input });

function answer(body, response, made) {
  const { prompt, round } = turnOf(body.messages ?? []);
  const contentAt = (step) => made(answerTo(prompt, step));
  // A step that this harness has no tool for (waiting for a helper that it waits for anyway) is passed over.
  const step = contentAt(round).length > 0 ? round : round + 1;
  const blocks = answerTo(prompt, step);
  const content = contentAt(step);
  const stop = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  const usage = {
    input_tokens: 7,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 20,
    output_tokens: 11,
    service_tier: 'standard',
  };
  const message = {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  if (!body.stream) return sendJson(response, 200, { ...message, content, stop_reason: stop, usage });
  const send = eventStream(response);
  send('message_start', { message: { ...message, usage: { ...usage, output_tokens: 1 } } });
  content.forEach((block, index) => sendBlock(send, block, index));
  if (blocks.some((block) => block.hang)) return;
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 11 } });
  send('message_stop', {});
  response.end();
}

function sendBlock(send, block, index) {
  const empty = {
    text: { type: 'text', text: '' },
    thinking: { type: 'thinking', thinking: '', signature: '' },
    tool_use: { ...block, input: {} },
  };
  send('content_block_start', { index, content_block: empty[block.type] });
  const delta = (value) => send('content_block_delta', { index, delta: value });
  if (block.type === 'text') pieces(block.text).forEach((text) => delta({ type: 'text_delta', text }));
  if (block.type === 'tool_use')
    pieces(JSON.stringify(block.input)).forEach((part) => delta({ type: 'input_json_delta', partial_json: part }));
  if (block.type === 'thinking') {
    delta({ type: 'thinking_delta', thinking: block.thinking });
    delta({ type: 'signature_delta', signature: block.signature });
  }
  send('content_block_stop', { index });
}
