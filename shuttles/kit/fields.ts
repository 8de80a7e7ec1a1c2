/// <reference lib="es2024.string" />
/**
 * Tolerant readers of other programs' JSON: each gives the field if it is there and of the right type, else undefined.
 * Never throws, never coerces a type into another; only own properties are seen, so `__proto__` and `constructor` are
 * ordinary names. `isoTime` and `oneLine` bring times and titles into one form.
 */
import type { JsonObject, JsonValue } from '../contract/json.ts';

/** Whatever a field may hold; functions take it so that an absent field needs no check first. */
export type Loose = JsonValue | undefined;

export function asObject(value: Loose): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

export function asArray(value: Loose): readonly JsonValue[] | undefined {
  return typeof value === 'object' && value !== null && isList(value) ? value : undefined;
}

export function asStr(value: Loose): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function field(object: JsonObject | undefined, name: string): Loose {
  if (object === undefined) return undefined;
  const value: unknown = object[name];
  // What every object inherits are functions, which no JSON has, and `__proto__`.
  return typeof value === 'function' || name === '__proto__' ? ownField(object, name) : (value as Loose);
}

function ownField(object: JsonObject, name: string): Loose {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value at the end of a path of object fields. */
export function at(object: JsonObject | undefined, ...names: readonly string[]): Loose {
  let value: Loose = object;
  for (const name of names) value = field(asObject(value), name);
  return value;
}

export function str(object: JsonObject | undefined, name: string): string | undefined {
  return asStr(field(object, name));
}

/** A string with something in it besides whitespace. */
export function filled(object: JsonObject | undefined, name: string): string | undefined {
  const value = str(object, name);
  return value !== undefined && value.trim() !== '' ? value : undefined;
}

/** Finite numbers only. */
export function num(object: JsonObject | undefined, name: string): number | undefined {
  const value = field(object, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A whole number from 0 that a double holds exactly: counts, ordinals, tokens, bytes. */
export function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = num(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function bool(object: JsonObject | undefined, name: string): boolean | undefined {
  const value = field(object, name);
  return typeof value === 'boolean' ? value : undefined;
}

export function obj(object: JsonObject | undefined, name: string): JsonObject | undefined {
  return asObject(field(object, name));
}

export function arr(object: JsonObject | undefined, name: string): readonly JsonValue[] | undefined {
  return asArray(field(object, name));
}

/** The objects in a list; other elements are passed over, an absent list is empty. */
export function objects(object: JsonObject | undefined, name: string): readonly JsonObject[] {
  const list = arr(object, name);
  return list === undefined || list.length === 0 ? [] : list.map(asObject).filter((value) => value !== undefined);
}

/** The strings in a list; other elements are passed over, an absent list is empty. */
export function strings(object: JsonObject | undefined, name: string): readonly string[] {
  const list = arr(object, name);
  return list === undefined || list.length === 0 ? [] : list.map(asStr).filter((value) => value !== undefined);
}

/** JSON text to a value; undefined for what is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function parseObject(text: string): JsonObject | undefined {
  return asObject(parseJson(text));
}

const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:\s*([Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2}))?)?$/;

/**
 * Milliseconds since 1970 from an ISO 8601 text (without a zone: UTC, so that the result does not depend on the machine),
 * or from a number, also as a text, in seconds, milliseconds, microseconds or nanoseconds, told apart by size.
 * Anything else, and what lies outside the years 1971 to 9999, is null.
 */
export function isoTime(value: Loose): number | null {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string' || value.length > 64) return null;
  const usual = usualTime(value);
  if (usual !== undefined) return usual;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text));
  const parts = isoForm.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts;
  const days = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC rolls 31 February over into March: such a date is garbage, not a time.
  if (new Date(days).getUTCDate() !== Number(day) || Number(month) > 12) return null;
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return null;
  const clock = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offset = zoneOffset(zone);
  return offset === null ? null : inRange(days + clock - offset);
}

/** The form that nearly every record has, `2026-11-30T12:00:00.000Z`, without a regular expression; undefined: it is another one. */
function usualTime(text: string): number | null | undefined {
  if (text.length !== 24 || text.charCodeAt(10) !== 84 || text.charCodeAt(23) !== 90) return undefined;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(19) !== 46) return undefined;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined;
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  const thousandths = pair(text, 20) * 10 + (pair(text, 21) % 10);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60)) return undefined;
  if (Number.isNaN(year + thousandths)) return undefined;
  const time = Date.UTC(year, month - 1, day, hour, minute, second, thousandths);
  // A day that its month does not have.
  return day > 28 && new Date(time).getUTCDate() !== day ? undefined : inRange(time);
}

/** Two digits as a number; NaN when they are none. */
function pair(text: string, from: number): number {
  const tens = text.charCodeAt(from) - 48;
  const ones = text.charCodeAt(from + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/**
 * A text as one line of at most `max` characters for titles and lists: runs of whitespace become one space; terminal
 * colour codes, control characters and marks that turn the writing direction go; a text that is cut ends in an ellipsis.
 */
export function oneLine(text: string, max: number): string {
  const start = text.trimStart();
  // A title never needs more than the first part of a long text: the work is bounded by `max`, not by the text.
  const window = start.length > max * 4 + 4096 ? start.slice(0, max * 4 + 4096) : start;
  const line = window.toWellFormed().replaceAll(terminalCodes, '').replaceAll(/\s+/gu, ' ').replaceAll(invisible, '').trim();
  const signs = Array.from(line);
  if (signs.length <= max && window.length === start.length) return line;
  return max < 1
    ? ''
    : `${signs
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

// eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
const terminalCodes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu;
// eslint-disable-next-line no-control-regex -- these are the characters to take out
const invisible = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;

function isList(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function fromNumber(value: number): number | null {
  if (!Number.isFinite(value) || value <= 0) return null;
  if (value < 1e11) return inRange(Math.round(value * 1000));
  if (value < 1e14) return inRange(Math.round(value));
  if (value < 1e17) return inRange(Math.round(value / 1000));
  return inRange(Math.round(value / 1e6));
}

const earliest = Date.UTC(1971, 0, 1);
const latest = Date.UTC(10000, 0, 1) - 1;
function inRange(time: number): number | null {
  return time >= earliest && time <= latest ? time : null;
}

/** Milliseconds that the zone is ahead of UTC. */
function zoneOffset(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  if (minutes > 24 * 60) return null;
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
