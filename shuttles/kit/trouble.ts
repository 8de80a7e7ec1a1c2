/** Errors of a model's provider as they are told in words: one rule for all harnesses for what is a limit, and when it ends. */
import type { NoticeContent } from '../contract/entry.ts';
import { resetTime } from './reset-time.ts';

/** Limits of an account or of a rate; a full context window is none. */
const limit =
  /^\s*429\b|\b(?:HTTP|status|code|error)\W{0,3}429\b|\brate.?limit|\bquota\b|(?<!context )(?<!turn )\blimit reached\b|\b(?:hit|reached|exceeded) (?:your|the|its) (?!context|maximum context)(?:[\w-]+ ){0,2}limit\b|\busage.?limit|too many requests|resource.?exhausted|insufficient.?quota|credit balance is too low|out of credits|spend(?:ing)? (?:limit|cap)/i;

export function isLimit(text: string): boolean {
  return limit.test(text.slice(0, 4000));
}

/** What the notice of an error says. `known`: the harness itself calls it a limit. `at`: when it was said. */
export function troubleOf(text: string, at: number | null, known = false): Pick<NoticeContent, 'code' | 'resetsAt'> {
  if (!known && !isLimit(text)) return { code: 'apiError' };
  const resetsAt = resetTime(text, at);
  return { code: 'limit', ...(resetsAt === undefined ? {} : { resetsAt }) };
}
