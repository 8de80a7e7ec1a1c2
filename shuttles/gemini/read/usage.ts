/** Tokens of an answer. Cached tokens are part of `input`; whether thoughts are part of `output` is told by the total. */
import type { JsonObject } from '../../contract/json.ts';
import type { Usage } from '../../contract/message.ts';
import { count } from '../../kit/fields.ts';

export function usageOf(tokens: JsonObject | undefined): Usage | undefined {
  const of = (name: string): number => count(tokens, name) ?? 0;
  const [input, output, cached, thoughts, tool, total] = [
    of('input'),
    of('output'),
    of('cached'),
    of('thoughts'),
    of('tool'),
    of('total'),
  ];
  if (input + output + thoughts + tool === 0) return undefined;
  const apart = total >= input + output + thoughts;
  return {
    input: Math.max(0, input - cached) + tool,
    output: apart ? output + thoughts : output,
    cacheRead: Math.min(cached, input),
    cacheWrite: 0,
    ...(thoughts === 0 ? {} : { reasoning: thoughts }),
  };
}
