/**
 * A loopback model that speaks the OpenAI Responses API (streaming), for the real `codex`. It answers with the scenario
 * that the newest prompt asks for, through the tools of the request (direct tools, or one `exec` tool that takes
 * JavaScript), and keeps every request.
 */
import crypto from 'node:crypto';
import { eventStream, listen, pieces, sendJson } from './loopback.mjs';
import { answerTo } from './scenarios.mjs';

export async function startResponsesApi() {
  return listen((request, response) => {
    if (request.method === 'POST' && request.path === '/v1/responses') return answer(request.body, response);
    if (request.path === '/v1/models') return sendJson(response, 200, { object: 'list', data: [] });
    return sendJson(response, 404, { error: { message: `no route ${request.path}` } });
  });
}

const id = (prefix) => `${prefix}_${crypto.randomBytes(12).toString('hex')}`;
const injected = /^\s*(<[a-z_]+>|# AGENTS\.md)/;

/** The prompt that this request is about, and how many rounds of tool outputs came after it. */
function turnOf(input) {
  for (let index = input.length - 1; index >= 0; index--) {
    const { type, role, content } = input[index];
    // A helper's task comes from its parent as mail between agents, with the text where the vendor has it encrypted.
    const isTask = type === 'agent_message' && JSON.stringify(content).includes('NEW_TASK');
    if (!isTask && !(type === 'message' && role === 'user')) continue;
    const texts = content.map((part) => part.text ?? part.encrypted_content).filter((text) => typeof text === 'string');
    const own = texts.filter((text) => !injected.test(text));
    if (own.length === 0) continue;
    const outputs = input.slice(index + 1).map((item) => item.type?.endsWith('_output'));
    return { prompt: own.at(-1), round: outputs.filter((isOutput, at) => isOutput && !outputs[at - 1]).length };
  }
  return { prompt: '', round: 0 };
}

/** Names of the tools that the request offers, wherever this model generation puts them. */
function offeredTools(body) {
  const names = new Set();
  const walk = (tools) => {
    for (const tool of tools ?? []) {
      if (tool.name) names.add(tool.name);
      walk(tool.tools);
    }
  };
  walk(body.tools);
  for (const item of body.input) if (item.type === 'additional_tools') walk(item.tools);
  return names;
}

const addFile = (name, text) =>
  `*** Begin Patch\n*** Add File: ${name}\n${text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n')}\n*** End Patch`;
/** The edit of one line that the scenarios make, as a patch with that whole line. */
const changeLine = (name, from, to, line) =>
  `*** Begin Patch\n*** Update File: ${name}\n@@\n-${line}\n+${line.replace(from, to)}\n*** End Patch`;

const call = (name, input) => ({
  type: 'function_call',
  id: id('fc'),
  call_id: id('call'),
  name,
  arguments: JSON.stringify(input),
});
const collaborate = (name, input) => ({ ...call(name, input), namespace: 'collaboration' });
const custom = (name, input) => ({ type: 'custom_tool_call', id: id('ctc'), call_id: id('call'), name, input });

function itemOf(block, offered) {
  const code = !offered.has('exec_command') && offered.has('exec');
  if (block.think)
    return {
      type: 'reasoning',
      id: id('rs'),
      summary: [{ type: 'summary_text', text: block.think }],
      encrypted_content: 'gAAAAAloopback',
    };
  if (block.say)
    return {
      type: 'message',
      id: id('msg'),
      role: 'assistant',
      content: [{ type: 'output_text', text: block.say, annotations: [] }],
    };
  if (block.run || block.read) return command(block.run ?? `cat ${block.read}`, code);
  if (block.write) return patch(addFile(...block.write), code);
  if (block.edit) return patch(changeLine(...block.edit, cartLine), code);
  if (block.helper && offered.has('spawn_agent'))
    return collaborate('spawn_agent', { task_name: 'price', message: block.helper, fork_turns: 'none' });
  if (block.awaitHelper && offered.has('wait_agent')) return collaborate('wait_agent', { timeout_ms: 10_000 });
  if (block.loom) return loomTool(block.loom, code);
  if (block.plan && offered.has('update_plan')) {
    const status = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' };
    return call('update_plan', { plan: block.plan.map(([step, state]) => ({ step, status: status[state] })) });
  }
  return undefined;
}
const cartLine = 'export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);';
const command = (cmd, code) =>
  code
    ? custom('exec', `const run = await tools.exec_command(${JSON.stringify({ cmd })});\ntext(run.output);`)
    : call('exec_command', { cmd });
const loomTool = ([name, input], code) =>
  code
    ? custom('exec', `text(JSON.stringify(await tools.mcp__loom__${name}(${JSON.stringify(input)})));`)
    : { ...call(name, input), namespace: 'mcp__loom' };
const patch = (text, code) =>
  code ? custom('exec', `text(await tools.apply_patch(${JSON.stringify(text)}));`) : custom('apply_patch', text);

function answer(body, response) {
  const { prompt, round } = turnOf(body.input);
  const offered = offeredTools(body);
  const itemsOf = (step) => answerTo(prompt, step).flatMap((block) => itemOf(block, offered) ?? []);
  // A step that this tool set cannot express (no plan tool in code mode) is passed over.
  const step = itemsOf(round).length > 0 ? round : round + 1;
  const blocks = answerTo(prompt, step);
  const items = itemsOf(step);
  const send = eventStream(response);
  let sequence = 0;
  const event = (type, data) => send(type, { sequence_number: sequence++, ...data });
  const base = { id: id('resp'), object: 'response', created_at: Math.floor(Date.now() / 1000), model: body.model };
  event('response.created', { response: { ...base, status: 'in_progress', output: [] } });
  items.forEach((item, index) => sendItem(event, item, index));
  if (blocks.some((block) => block.hang)) return;
  const usage = {
    input_tokens: 127,
    input_tokens_details: { cached_tokens: 20 },
    output_tokens: 11,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 138,
  };
  event('response.completed', { response: { ...base, status: 'completed', output: items, usage } });
  response.end();
}

function sendItem(event, item, index) {
  const at = { output_index: index, item_id: item.id };
  if (item.type === 'message') {
    const { text } = item.content[0];
    event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', content: [] } });
    event('response.content_part.added', { ...at, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } });
    pieces(text).forEach((delta) => event('response.output_text.delta', { ...at, content_index: 0, delta }));
    event('response.output_text.done', { ...at, content_index: 0, text });
  } else if (item.type === 'reasoning') {
    const { text } = item.summary[0];
    event('response.output_item.added', { output_index: index, item: { ...item, summary: [] } });
    event('response.reasoning_summary_part.added', { ...at, summary_index: 0, part: { type: 'summary_text', text: '' } });
    event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: text });
    event('response.reasoning_summary_text.done', { ...at, summary_index: 0, text });
  } else {
    event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } });
  }
  event('response.output_item.done', { output_index: index, item: { ...item, status: 'completed' } });
}
