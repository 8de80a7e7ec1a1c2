/**
 * Errors and limits. Legacy rollouts tell of an error by an event and, in later versions, again with the end of its turn; paginated ones
 * only there: each is said once. How full the windows of a plan are stands in every `token_count`: a limit that is reached is said when it
 * becomes so, with the time at which the last of the full windows ends.
 */
import type { NoticeContent } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { asStr, field, filled, num, obj, str } from '../../kit/fields.ts';
import { troubleOf } from '../../kit/trouble.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import { cut } from './state.ts';

export function readTrouble(reading: Reading, line: Line, type: 'error' | 'stream_error' | 'warning'): void {
  const event = line.payload;
  const text = filled(event, 'message') ?? filled(obj(event, 'error'), 'message') ?? type;
  const status =
    num(event, 'http_status_code') ?? num(obj(obj(event, 'codex_error_info'), 'http_connection_failed'), 'http_status_code');
  const shown = status === undefined ? text : `${text} (HTTP ${status})`;
  if (type === 'warning') {
    reading.pen.entry('notice', { level: 'warning', code: 'info', text: shown }, 'harness');
    return;
  }
  say(
    reading,
    line,
    shown,
    type === 'error' ? 'error' : 'warning',
    status === 429 || isLimitInfo(field(event, 'codex_error_info')),
  );
  if (type === 'error') reading.state.trouble = cut(text, 500);
}

/** The turn ended with this error. */
export function readFailure(reading: Reading, line: Line, text: string): void {
  const said = reading.state.trouble;
  reading.state.trouble = null;
  if (said === cut(text, 500)) return;
  say(reading, line, text, 'error', isLimitInfo(field(obj(line.payload, 'error'), 'codex_error_info')));
}

function say(reading: Reading, line: Line, text: string, level: NoticeContent['level'], isKnown: boolean): void {
  const trouble = troubleOf(text, line.at, isKnown);
  const resetsAt = trouble.resetsAt ?? reading.state.limit?.resetsAt ?? undefined;
  reading.pen.entry(
    'notice',
    { level, code: trouble.code, text, ...(trouble.code === 'limit' && resetsAt !== undefined && { resetsAt }) },
    'harness',
  );
}

/** A word, or an object with the word as its only member. */
function isLimitInfo(info: ReturnType<typeof field>): boolean {
  const name = asStr(info) ?? Object.keys(typeof info === 'object' && info !== null ? info : {})[0] ?? '';
  return /^(?:usage_?limit|rate_?limit|too_?many_?requests|quota)/i.test(name);
}

const windows = ['primary', 'secondary', 'individual_limit'] as const;

export function readRateLimits(reading: Reading, line: Line): void {
  const limits = obj(line.payload, 'rate_limits');
  if (limits === undefined || reading.pen.inherited) return;
  const full = windows.flatMap((name) => {
    const window = obj(limits, name);
    return window !== undefined && (num(window, 'used_percent') ?? 0) >= 100 ? [{ name, window }] : [];
  });
  const type = str(limits, 'rate_limit_reached_type');
  if (full.length === 0 && type === undefined && field(limits, 'spend_control_reached') !== true) {
    reading.state.limit = null;
    return;
  }
  const named = obj(limits, type ?? '');
  const ends = [...full.map(({ window }) => window), ...(named === undefined ? [] : [named])].flatMap(
    (window) => endOf(window, line.at) ?? [],
  );
  const resetsAt = ends.length === 0 ? null : Math.max(...ends);
  const known = reading.state.limit;
  reading.state.limit = { resetsAt };
  if (known !== null && known.resetsAt === resetsAt) return;
  const which = [...new Set([...full.map(({ name, window }) => spanOf(window) ?? name), ...(type === undefined ? [] : [type])])];
  const text = `Usage limit reached: ${cut(which.join(', ') || 'spending', 200)}`;
  reading.pen.entry('notice', { level: 'warning', code: 'limit', text, ...(resetsAt !== null && { resetsAt }) }, 'harness');
}

function endOf(window: JsonObject, at: number | null): number | undefined {
  const seconds = num(window, 'resets_at');
  if (seconds !== undefined && seconds > 1e9 && seconds < 1e11) return Math.round(seconds * 1000);
  const rest = num(window, 'resets_in_seconds');
  return rest === undefined || at === null || rest < 0 || rest > 4e7 ? undefined : Math.round(at + rest * 1000);
}

/** "5 hours", "7 days". */
function spanOf(window: JsonObject): string | undefined {
  const minutes = num(window, 'window_minutes');
  if (minutes === undefined || minutes <= 0) return undefined;
  return minutes % 1440 === 0 ? `${minutes / 1440} days` : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}
