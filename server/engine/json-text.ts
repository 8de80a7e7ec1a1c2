/** What is stored is the JSON text of a value, made at the commit: what its writer or a reader does to their copies changes nothing. */
import type { Json } from './records.ts';

/** Throws TypeError for what JSON cannot say; properties that are undefined are dropped. */
export function jsonText(value: Json): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`what is stored must be JSON, ${typeof value} is not`);
  return text;
}
