/**
 * Ways in which records go wrong: members that are missing, of another type, nested deep or huge; lines that are cut, spliced, overwritten
 * with NULs, doubled or in another order. `pick` gives numbers from 0 to 1, so that a seed repeats a run.
 */
import type { JsonObject, JsonValue } from '../../../shuttles/contract/json.ts';

export type Pick = () => number;

const deep: JsonValue = JSON.parse(`${'[{"content":'.repeat(60)}null${'}]'.repeat(60)}`) as JsonValue;
const junk: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  'x',
  '\0\uD800',
  '../../etc/passwd',
  '$(touch x)',
  '__proto__',
  '9'.repeat(400),
  'word '.repeat(40_000),
  [],
  [null],
  [[]],
  [{}],
  {},
  { type: 'text' },
  { text: 5 },
  [{ type: 'tool_use' }, { type: 'toolCall' }, { type: 'tool_result' }],
  deep,
  { constructor: 1, toString: null, hasOwnProperty: [] },
];

export function mutatedRecord(value: JsonObject, pick: Pick): JsonObject {
  let found: JsonValue = value;
  for (let times = 1 + Math.floor(pick() * 3); times > 0; times--) found = mutated(found, pick);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as JsonObject) : { value: found };
}

function mutated(value: JsonValue, pick: Pick): JsonValue {
  if (typeof value !== 'object' || value === null || pick() < 0.08) return junk[Math.floor(pick() * junk.length)] ?? null;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const at = Math.floor(pick() * items.length);
    const changed = items.map((item, index) => (index === at ? mutated(item, pick) : item));
    // Twice the same, or in another order.
    return pick() < 0.2 ? [...changed, ...changed] : pick() < 0.2 ? changed.toReversed() : changed;
  }
  const object = value as JsonObject;
  const names = Object.keys(object);
  const name = names[Math.floor(pick() * names.length)];
  if (name === undefined) return { type: junk[Math.floor(pick() * junk.length)] ?? null };
  const { [name]: part, ...rest } = object;
  if (pick() < 0.15) return rest;
  // What belongs elsewhere.
  const other = names[Math.floor(pick() * names.length)] ?? name;
  return pick() < 0.1 ? { ...rest, [other]: part } : { ...rest, [name]: mutated(part ?? null, pick) };
}

export function mutatedLines(lines: readonly string[], pick: Pick): Buffer {
  const given = [...lines];
  for (let times = Math.floor(pick() * 5); times > 0; times--) {
    const at = Math.floor(pick() * given.length);
    const line = given[at] ?? '';
    const cut = Math.floor(pick() * line.length);
    const way = Math.floor(pick() * 7);
    if (way === 0) given[at] = line.slice(0, cut);
    else if (way === 1) given[at] = `${line.slice(0, cut)}${given[at + 1] ?? ''}`;
    else if (way === 2) given[at] = `${'\0'.repeat(1 + cut)}${line}`;
    else if (way === 3) given[at] = `${line.slice(0, cut)}\0\0${line.slice(cut)}`;
    else if (way === 4) given.splice(at, 0, line);
    else if (way === 5) given.splice(at, 1, ...given.splice(Math.floor(pick() * given.length), 1, line));
    else given[at] = line.slice(cut);
  }
  return Buffer.from(given.map((line) => `${line}\n`).join(''));
}
