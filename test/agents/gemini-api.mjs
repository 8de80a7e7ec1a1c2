/**
 * A loopback model that speaks the Gemini API (streaming and not), for the real `gemini`. It answers with the scenario that
 * the newest prompt asks for, through the tools that the request offers, and keeps every request.
 */
import path from 'node:path';
import { listen, pieces, sendJson } from './loopback.mjs';
import { answerTo } from './scenarios.mjs';

/** @param {string} cwd the project folder, since this harness's file tools take absolute paths */
export async function startGeminiApi(cwd) {
  let calls = 0;
  return listen((request, response) => {
    const method = /^\/v1(?:beta)?\/models\/[^/:]+:(\w+)$/.exec(request.path)?.[1];
    if (method === 'countTokens') return sendJson(response, 200, { totalTokens: 100 });
    if (method !== 'generateContent' && method !== 'streamGenerateContent')
      return sendJson(response, 404, { error: { code: 404, message: `no route ${request.path}`, status: 'NOT_FOUND' } });
    const { body } = request;
    const { prompt, round } = turnOf(body.contents ?? []);
    const offered = new Set((body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name));
    const partsAt = (step) => answerTo(prompt, step).flatMap((block) => partsOf(block, cwd, offered, () => calls++));
    // A step that this tool set cannot express is passed over.
    const step = partsAt(round).length > 0 ? round : round + 1;
    const hangs = answerTo(prompt, step).some((block) => block.hang);
    return method === 'generateContent'
      ? sendJson(response, 200, reply(partsAt(step), body, 'STOP'))
      : stream(response, partsAt(step), body, hangs);
  });
}

/** What the program puts into the user role by itself. */
export const isInjected = (text) => /^\s*<(?:session_context|hook_context|system-reminder)>/.test(text);

/** The prompt that this request is about, and how many answers of the model came after it. */
function turnOf(contents) {
  for (let index = contents.length - 1; index >= 0; index--) {
    const { role, parts } = contents[index];
    if (role !== 'user') continue;
    const own = parts.flatMap((part) => (typeof part.text === 'string' && !isInjected(part.text) ? [part.text] : []));
    if (own.length === 0) continue;
    return { prompt: own.at(-1), round: contents.slice(index + 1).filter((content) => content.role === 'model').length };
  }
  return { prompt: '', round: 0 };
}

/** A neutral block as parts of an answer. */
function partsOf(block, cwd, offered, next) {
  const file = (name) => path.join(cwd, name);
  const call = (name, args) => (offered.has(name) ? [{ functionCall: { id: `call-${next()}`, name, args } }] : []);
  if (block.think) return [{ text: block.think, thought: true }];
  if (block.say) return [{ text: block.say }];
  if (block.run) return call('run_shell_command', { command: block.run, description: 'Run a command' });
  if (block.read) return call('read_file', { file_path: file(block.read) });
  if (block.write) return call('write_file', { file_path: file(block.write[0]), content: block.write[1] });
  if (block.edit)
    return call('replace', {
      file_path: file(block.edit[0]),
      instruction: 'Change the line.',
      old_string: block.edit[1],
      new_string: block.edit[2],
    });
  if (block.plan) {
    const status = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' };
    return call('write_todos', { todos: block.plan.map(([description, state]) => ({ description, status: status[state] })) });
  }
  return [];
}

function reply(parts, body, finishReason) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
    modelVersion: body.model,
    usageMetadata: { promptTokenCount: 127, cachedContentTokenCount: 20, candidatesTokenCount: 11, totalTokenCount: 138 },
  };
}

function stream(response, parts, body, hangs) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (value) => response.write(`data: ${JSON.stringify(value)}\r\n\r\n`);
  for (const part of parts) {
    if (part.text === undefined || part.thought) send(reply([part], body));
    else for (const text of pieces(part.text)) send(reply([{ text }], body));
  }
  if (hangs) return;
  send(reply([{ text: '' }], body, 'STOP'));
  response.end();
}
