/**
 * Numbers of documents follow time: each hour since 1970 has 65,536 of them. When they are used up its documents take those of the
 * next hours.
 */
const hourMs = 3_600_000;
export const hourNumbers = 65_536;
/** Times that no clock gave are taken to the nearest that one could: about 60,000 years from 1970. */
const farthest = 2e15;

/** A time as it is kept: whole milliseconds. */
export function keptTime(at: number | null): number | null {
  return at === null || Number.isNaN(at) ? null : Math.round(Math.min(Math.max(at, -farthest), farthest));
}

/** Hours since 1970; what has no time is of the first. */
export function hourOf(at: number | null): number {
  return Math.max(0, Math.floor((keptTime(at) ?? 0) / hourMs));
}

/** When the hour of that number began, in milliseconds. */
export function originOf(number: number): number {
  return Math.floor(number / hourNumbers) * hourMs;
}
