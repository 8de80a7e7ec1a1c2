/** Times on the command line: a date, a date with a time, or how long ago (30m, 12h, 7d, 2w). */
import { option } from './commands/command.ts';
import type { Parsed } from './arguments.ts';

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/**
 * Milliseconds since 1970. A date without a zone is the machine's. `end`: a day stands for its end, so that `--until` includes it.
 * undefined when the option is absent; a usage when it is no time.
 */
export function timeOption(
  parsed: Parsed,
  name: string,
  now: number,
  end: boolean,
): number | undefined | { readonly usage: string } {
  const text = option(parsed, name)?.trim();
  if (text === undefined) return undefined;
  const ago = /^(\d{1,6})([mhdw])$/u.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (spans[ago[2] ?? ''] ?? 0);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text);
  if (day !== null) {
    const [year, month, date] = [Number(day[1]), Number(day[2]) - 1, Number(day[3])];
    const start = new Date(year, month, date);
    if (start.getMonth() === month && start.getDate() === date) return (end ? new Date(year, month, date + 1) : start).getTime();
  }
  const at = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/u.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  return Number.isNaN(at)
    ? {
        usage: `--${name} takes a date (2026-03-01), a time (2026-03-01T14:30) or how long ago (30m, 12h, 7d, 2w), not "${text}".`,
      }
    : at;
}
