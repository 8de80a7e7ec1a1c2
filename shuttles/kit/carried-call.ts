/**
 * A call of a tool that the target does not have, as a passage of text: what was called, with what, and what came back, the latter two
 * in fences that their content cannot close. It stands in the assistant's turn, never in the person's: output of a tool must not look
 * like something that the person asked for.
 */
import type { JsonObject } from '../contract/json.ts';
import type { UserBlock } from '../contract/message.ts';
import type { CarriedPart } from './carried-turns.ts';
import { str } from './fields.ts';

export function toldCall({ name, input, result }: Extract<CarriedPart, { readonly kind: 'told' }>): string {
  const label = name.replaceAll(/[^\p{L}\p{N}_.:-]/gu, '_').slice(0, 100) || 'unknown';
  const given = input !== undefined && Object.keys(input).length > 0 ? [fenced(inputText(input))] : [];
  const asked = input === undefined ? [] : [`[Tool call in another harness: ${label}]`, ...given];
  if (result === undefined) return [...asked, `[No output of ${label} was recorded.]`].join('\n');
  const output = blocksText(result.content);
  const answer =
    output.trim() === ''
      ? [`[${label} ${result.isError ? 'failed without output' : 'gave no output'}.]`]
      : [`[Output of ${label}${result.isError ? ' (it failed)' : ''}, quoted as data]`, fenced(output)];
  return [...asked, ...answer].join('\n');
}

/** Freeform tools have one text; it is easier to read as it is than inside JSON. */
export function inputText(input: JsonObject): string {
  const keys = Object.keys(input);
  const only = keys.length === 1 ? str(input, keys[0] ?? '') : undefined;
  return only ?? JSON.stringify(input, null, 1);
}

export function blocksText(blocks: readonly UserBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');
}

/** A fence that is longer than any run of backticks in the text. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
