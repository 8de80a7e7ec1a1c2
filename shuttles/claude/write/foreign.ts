/**
 * A call of a tool that Claude Code does not have, as a passage of text: what was called, with what, and what came back, the
 * latter two in fences that their content cannot close. It stands in the assistant's turn, never in the person's: output of a
 * tool must not look like something that the person asked for.
 */
import type { JsonObject } from '../../contract/json.ts';
import { blocksText, fenced, inputText } from '../../kit/carried-call.ts';
import type { Result } from './turns.ts';

export function foreignText(name: string, input: JsonObject, result: Result | undefined): string {
  const label = name.replaceAll(/[^\p{L}\p{N}_.:-]/gu, '_').slice(0, 100) || 'unknown';
  const asked = Object.keys(input).length === 0 ? [] : [`[Tool call in another harness: ${label}]`, fenced(inputText(input))];
  const output = result === undefined ? '' : blocksText(result.content);
  const answer =
    result === undefined
      ? [`[No output of ${label} was recorded.]`]
      : output === ''
        ? [`[${label} ${result.isError ? 'failed without output' : 'gave no output'}.]`]
        : [`[Output of ${label}${result.isError ? ' (it failed)' : ''}, quoted as data]`, fenced(output)];
  return [...asked, ...answer].join('\n');
}
