/** The files that a history names in its calls: what a person should know of before it leaves. Paths as written, each once. */
import type { JsonObject } from '../../shuttles/contract/json.ts';
import type { Message } from '../../shuttles/contract/message.ts';

const pathKeys = ['file_path', 'notebook_path', 'path', 'filename', 'file', 'target_file'];
const patchLine = /^\*\*\* (?:Update|Add|Delete|Move to) ?(?:File)?: (.{1,400})$/gm;

/** Sorted; at most `limit` of them. */
export function namedFiles(messages: readonly Message[], limit = 500): readonly string[] {
  const found = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of message.content)
      if (block.type === 'toolCall') for (const path of pathsOf(block.arguments)) found.add(path);
  }
  return [...found].toSorted().slice(0, limit);
}

function pathsOf(args: JsonObject): readonly string[] {
  const out: string[] = [];
  for (const key of pathKeys) {
    const value = args[key];
    if (typeof value === 'string' && value !== '' && value.length <= 400 && !value.includes('\n')) out.push(value);
  }
  for (const key of ['input', 'patch', 'command', 'cmd']) {
    const value = args[key];
    if (typeof value === 'string' && value.includes('*** '))
      for (const match of value.matchAll(patchLine)) out.push(match[1]!.trim());
  }
  return out;
}
