/**
 * What the vendors' real servers refuse, as their public API references state it, checked on captured requests: the
 * loopback models take anything, so a session that only they would accept must be found here.
 */
import assert from 'node:assert/strict';

const callId = /^[a-zA-Z0-9_-]{1,64}$/;
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

/** By the harness whose program sends the request. */
export const acceptable = { claude: assertMessagesAcceptable, codex: assertResponsesAcceptable };

/** Messages API: the shape of `messages`. Rows of role `system` are the program's own and left aside. */
export function assertMessagesAcceptable(body) {
  const messages = body.messages.filter((message) => message.role !== 'system');
  assert.equal(messages[0].role, 'user', 'the first message is the user');
  const seen = new Set();
  messages.forEach((message, index) => {
    const blocks = blocksOf(message);
    assert.ok(blocks.length > 0, 'no message is empty');
    for (const block of blocks) assertBlock(block, message.role);
    const calls = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
    for (const id of calls) {
      assert.match(id, callId);
      assert.ok(!seen.has(id), `the call id ${id} is used twice`);
      seen.add(id);
    }
    const answers = blocksOf(messages[index + 1] ?? { content: [] });
    const given = answers.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
    if (message.role === 'assistant') {
      assert.deepEqual(
        given.toSorted(),
        calls.toSorted(),
        'every call is answered in the very next message, and nothing else is',
      );
      const firstOther = answers.findIndex((block) => block.type !== 'tool_result');
      const lastResult = answers.findLastIndex((block) => block.type === 'tool_result');
      assert.ok(calls.length === 0 || firstOther === -1 || lastResult < firstOther, 'results come before other content');
    }
    assert.ok(index === 0 || messages[index - 1].role !== message.role, 'roles take turns');
  });
}

function blocksOf(message) {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

function assertBlock(block, role) {
  switch (block.type) {
    case 'text':
      assert.ok(block.text.trim().length > 0, 'no text block is blank');
      assert.ok(!block.text.includes('\u0000'), 'no NUL in a text');
      break;
    case 'tool_use':
      assert.equal(role, 'assistant');
      assert.match(block.name, toolName);
      assert.ok(
        block.input !== null && typeof block.input === 'object' && !Array.isArray(block.input),
        'a call has an object as its input',
      );
      break;
    case 'tool_result':
      assert.equal(role, 'user');
      assert.ok(block.content !== null);
      for (const part of Array.isArray(block.content) ? block.content : [])
        if (part.type === 'text') assert.ok(part.text.length > 0, 'no result has an empty text block');
      break;
    case 'image':
      assert.equal(role, 'user', 'images stand with the user');
      if (block.source.type === 'base64') assert.match(block.source.media_type, /^image\/(png|jpeg|gif|webp)$/);
      break;
    case 'thinking':
      assert.ok(block.signature, 'thinking has the signature that this vendor gave it');
      break;
    default:
      assert.fail(`a block of type ${block.type}`);
  }
}

/** Responses API: the shape of `input`. */
export function assertResponsesAcceptable(body) {
  const calls = new Map();
  const answered = new Set();
  for (const item of body.input) {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      assert.match(item.call_id, callId);
      assert.match(item.name, toolName);
      assert.ok(!calls.has(item.call_id), `the call id ${item.call_id} is used twice`);
      if (item.type === 'function_call') JSON.parse(item.arguments);
      calls.set(item.call_id, item.type);
    } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      assert.equal(calls.get(item.call_id), item.type.replace('_output', ''), `an output without its call: ${item.call_id}`);
      assert.ok(!answered.has(item.call_id), `two outputs for ${item.call_id}`);
      answered.add(item.call_id);
    } else if (item.type === 'message') {
      assert.ok(['user', 'assistant', 'developer'].includes(item.role), item.role);
      for (const part of item.content) {
        if (item.role === 'assistant') assert.equal(part.type, 'output_text');
        else assert.ok(part.type === 'input_text' || part.type === 'input_image', part.type);
        if (part.type === 'input_image') assert.match(part.image_url, /^data:image\/(png|jpeg|gif|webp);base64,/);
      }
    }
  }
  assert.deepEqual(
    [...calls.keys()].filter((id) => !answered.has(id)),
    [],
    'every call has its output',
  );
}
