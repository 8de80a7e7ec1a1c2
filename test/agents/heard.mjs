/**
 * What a model heard: a captured request as a flat list of neutral items, in order, without what the programs add by
 * themselves (system reminders, environment, instructions). Loom's derived context becomes the same list, so that the
 * two can be compared.
 *
 * An item is one of { user }, { assistant }, { thinking }, { call, name, input }, { result, text }, { image }, { mail }
 * (between agents).
 */

const reminder = /\s*<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;
const withoutReminders = (text) => text.replace(reminder, '').trim();

/** Items of a request to the Messages API. */
export function heardByClaude(body) {
  return body.messages.flatMap(({ role, content }) => {
    if (role !== 'user' && role !== 'assistant') return [];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return blocks.flatMap((block) => {
      if (block.type === 'text') return spoken(role, withoutReminders(block.text));
      if (block.type === 'thinking') return [{ thinking: block.thinking }];
      if (block.type === 'image') return [{ image: block.source.data ?? block.source.url }];
      if (block.type === 'tool_use') return [{ call: block.id, name: block.name, input: withoutDefaults(block.input) }];
      if (block.type === 'tool_result')
        return [{ result: block.tool_use_id, text: withoutReminders(textOf(block.content)) }, ...imagesOf(block.content)];
      return [{ unknown: block.type }];
    });
  });
}

/** Items of a request to the Responses API. */
export function heardByCodex(body) {
  return body.input.flatMap((item) => {
    if (item.type === 'message') {
      if (item.role !== 'user' && item.role !== 'assistant') return [];
      return item.content.flatMap((part) => {
        if (part.type === 'input_image') return [{ image: part.image_url.replace(/^data:[^,]*,/, '') }];
        return isInjected(part.text) ? [] : spoken(item.role, part.text.trim());
      });
    }
    if (item.type === 'reasoning') return [{ thinking: item.summary.map((part) => part.text).join('\n') }];
    if (item.type === 'function_call') return [{ call: item.call_id, name: item.name, input: JSON.parse(item.arguments) }];
    if (item.type === 'custom_tool_call') return [{ call: item.call_id, name: item.name, input: { input: item.input } }];
    if (item.type?.endsWith('_output'))
      return [{ result: item.call_id, text: textOf(item.output).trim() }, ...imagesOf(item.output)];
    if (item.type === 'agent_message') return [{ mail: textOf(item.content) }];
    if (item.type === 'additional_tools') return [];
    return [{ unknown: item.type }];
  });
}

/** Items of `loom context --json`. */
export function heardFromLoom(context) {
  return context.messages.flatMap((message) => {
    if (message.role === 'system') return [];
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    if (message.role === 'toolResult')
      return [{ result: message.toolCallId, text: withoutReminders(textOf(blocks)) }, ...imagesOf(blocks)];
    return blocks.flatMap((block) => {
      if (block.type === 'text') return isInjected(block.text) ? [] : spoken(message.role, withoutReminders(block.text));
      if (block.type === 'thinking') return [{ thinking: block.thinking }];
      if (block.type === 'image') return [{ image: block.data ?? block.url }];
      return [{ call: block.id, name: block.name, input: withoutDefaults(block.arguments) }];
    });
  });
}

/** Results of one round stand in the order of their calls, since each program orders parallel results in its own way. */
export function inCallOrder(items) {
  const ordered = [];
  let round = [];
  const flush = () => {
    const place = new Map(ordered.flatMap((item, index) => (item.call ? [[item.call, index]] : [])));
    ordered.push(...round.toSorted((a, b) => (place.get(a.result) ?? 0) - (place.get(b.result) ?? 0)));
    round = [];
  };
  for (const item of items) {
    if (item.result !== undefined) {
      round.push(item);
      continue;
    }
    flush();
    ordered.push(item);
  }
  flush();
  return ordered;
}

function spoken(role, text) {
  return text ? [{ [role]: text }] : [];
}
function textOf(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
}
/** Pictures inside of a result, in any of the three shapes. */
function imagesOf(content) {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    const image =
      part.source?.data ??
      part.source?.url ??
      part.image_url?.replace(/^data:[^,]*,/, '') ??
      (part.type === 'image' ? (part.data ?? part.url) : undefined);
    return image === undefined ? [] : [{ image }];
  });
}
/** Text that Codex puts into the user role by itself. */
function isInjected(text) {
  return /^\s*(<environment_context>|<session_context>|<turn_aborted>|<skills_instructions>|<permissions instructions>|# AGENTS\.md)/.test(
    text,
  );
}
/** The program writes an option's default into the call before it sends it again. */
function withoutDefaults(input) {
  const { replace_all: replaceAll, ...rest } = input;
  return replaceAll ? input : rest;
}
