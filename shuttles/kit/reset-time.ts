/**
 * When a limit ends, as providers and harnesses say it in words: an epoch behind a bar, a field of JSON, a span ("in 2h 5m"), an ISO time,
 * or a clock time in a named zone ("resets 3pm (Europe/Vienna)"), which means the next one after the text was said. Wording that names
 * neither a date nor a zone says nothing that another machine could know.
 */
import { isoTime } from './fields.ts';

/** Milliseconds since 1970. `at`: when the text was said; null: only times that stand by themselves are understood. */
export function resetTime(text: string, at: number | null): number | undefined {
  const start = text.slice(0, 4000);
  const fixed = epoch(start) ?? iso(start);
  if (fixed !== undefined || at === null) return fixed;
  return span(start, at) ?? clock(start, at);
}

function epoch(text: string): number | undefined {
  const found = /limit reached\|(\d{10,13})\b/i.exec(text)?.[1] ?? /"resets?_?at"\s*:\s*"?(\d{10,13})\b/i.exec(text)?.[1];
  return found === undefined ? undefined : (isoTime(Number(found)) ?? undefined);
}

function iso(text: string): number | undefined {
  const found =
    /\b(?:reset|resume|again|after|until)\w*\b[^\n]{0,40}?(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))/i.exec(
      text,
    )?.[1];
  return found === undefined ? undefined : (isoTime(found) ?? undefined);
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const amount = String.raw`\d{1,6}(?:\.\d{1,12})?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b`;
const spans = new RegExp(
  String.raw`(?:\b(?:try again|retry|resets?|resume)\b[^\n\d]{0,30}\b(?:in|after)\s+|"retryDelay"\s*:\s*"|\bretry-after:?\s*)((?:${amount}[\s,]*(?:and\s+)?|\d{1,3}[dhm](?=\d))+)`,
  'i',
);

function span(text: string, at: number): number | undefined {
  const said = spans.exec(text)?.[1];
  if (said === undefined) return undefined;
  let length = 0;
  for (const [, value, unit] of said.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi))
    length += Number(value) * (units[(unit ?? '').toLowerCase()] ?? 0);
  return length > 0 && length < 400 * 86_400_000 ? Math.round(at + length) : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const clocks =
  /\bresets?\b[^\n]{0,20}?(?:\b([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:,? at)? )?\b(\d{1,2})(?::(\d{2}))? ?([ap])m \(([A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*)\)/;

function clock(text: string, at: number): number | undefined {
  const [, month, day, hour, minute = '0', half, zone = ''] = clocks.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const here = offset(zone, at);
  if (here === undefined) return undefined;
  const local = new Date(at + here);
  const hours = (Number(hour) % 12) + (half === 'p' ? 12 : 0);
  const index = month === undefined ? -1 : months.indexOf(month.toLowerCase());
  if (month !== undefined && index < 0) return undefined;
  const asked = (year: number, days: number): number => {
    const utc = Date.UTC(
      year,
      index < 0 ? local.getUTCMonth() : index,
      (index < 0 ? local.getUTCDate() : Number(day)) + days,
      hours,
      Number(minute),
    );
    return utc - (offset(zone, utc - here) ?? here);
  };
  const year = local.getUTCFullYear();
  const first = asked(year, 0);
  if (first > at) return first;
  return index < 0 ? asked(year, 1) : asked(year + 1, 0);
}

/** Milliseconds that the zone is ahead of UTC then; undefined: there is no such zone. */
function offset(zone: string, at: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(
      part['year'] ?? 0,
      (part['month'] ?? 1) - 1,
      part['day'] ?? 1,
      part['hour'] ?? 0,
      part['minute'] ?? 0,
      part['second'] ?? 0,
    );
    return local - Math.floor(at / 1000) * 1000;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
