/** Moments as a person reads them, to the minute. */

/** "2026-11-30 14:02 UTC", of milliseconds since 1970; undefined: that is no moment. */
export function minuteOf(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
