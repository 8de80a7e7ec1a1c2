/** Fields of a stored record by their types; undefined for what is absent or of another type. */
import type { Id, Json, TaskRole } from '../records.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A sequence number. */
export function id(value: unknown): Id | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function ids(value: unknown): readonly Id[] | undefined {
  return Array.isArray(value) && value.every((item) => id(item) !== undefined) ? (value as Id[]) : undefined;
}

export function role(value: unknown): TaskRole | undefined {
  return value === 'start' || value === 'inflight' || value === 'terminal' ? value : undefined;
}

export function isTrue(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

/** What came out of a JSON text. */
export function json(value: unknown): Json | undefined {
  return value as Json | undefined;
}

/** Whether an optional field is absent or of its type. */
export function fits(value: unknown, read: (value: unknown) => unknown): boolean {
  return value === undefined || read(value) !== undefined;
}
