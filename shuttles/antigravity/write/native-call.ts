/** A call of any tool, as a call: only names that a server refuses make a call one that is told in words. */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeCall } from '../../kit/carried-turns.ts';

/** What Google's servers take as the name of a function. */
const sendableName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

export function nativeCall(name: string, input: JsonObject): NativeCall | undefined {
  return sendableName.test(name) ? { name, input } : undefined;
}
