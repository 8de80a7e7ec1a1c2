import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resetTime } from './reset-time.ts';
import { isLimit, troubleOf } from './trouble.ts';

const at = Date.UTC(2026, 10, 30, 10, 0, 0);
const minutes = (count: number): number => at + count * 60_000;

test('what providers say of a rate, a quota or a plan is a limit; what goes wrong otherwise is not', () => {
  for (const text of [
    '429: slow down',
    'HTTP 429 Too Many Requests',
    'Claude AI usage limit reached|1796036400',
    "You've hit your limit · resets 3pm (Europe/Vienna)",
    '5-hour limit reached ∙ resets 3pm',
    'You exceeded your current quota, please check your plan',
    'RESOURCE_EXHAUSTED',
    'usage_limit_reached',
    'Your credit balance is too low to access the API',
  ])
    expect(isLimit(text), text).toBe(true);
  for (const text of [
    '500 mock error',
    'Context limit reached · /compact or /clear to continue',
    'stream disconnected before completion',
    'Overloaded',
    'prompt is too long: 429000 tokens > 200000 maximum',
  ])
    expect(isLimit(text), text).toBe(false);
});

test('when a limit ends is told as an epoch, a field, a span, a time or a clock in a zone', () => {
  expect(resetTime('Claude AI usage limit reached|1796036400', null)).toBe(1_796_036_400_000);
  expect(resetTime('{"type":"usage_limit_reached","resets_at":1796036400}', null)).toBe(1_796_036_400_000);
  expect(resetTime('Please retry in 34.5s.', at)).toBe(at + 34_500);
  expect(resetTime('"retryDelay": "12s"', at)).toBe(at + 12_000);
  expect(resetTime('Try again in 1 day 2 hours 5 minutes.', at)).toBe(minutes(24 * 60 + 125));
  expect(resetTime('Your quota will reset after 1h2m3s.', at)).toBe(minutes(62) + 3000);
  expect(resetTime('Quota exceeded, resets at 2026-12-01T00:00:00Z', null)).toBe(Date.UTC(2026, 11, 1));
  expect(resetTime("You've hit your limit · resets 3pm (Europe/Vienna)", at)).toBe(Date.UTC(2026, 10, 30, 14));
  expect(resetTime('Your limit will reset at 9:30am (UTC)', at)).toBe(Date.UTC(2026, 11, 1, 9, 30));
  expect(resetTime('resets Feb 3 at 10am (America/Los_Angeles)', at)).toBe(Date.UTC(2027, 1, 3, 18));
});

test('a clock without a zone, a zone that is none and a span without a beginning tell nothing', () => {
  expect(resetTime('5-hour limit reached ∙ resets 3pm', at)).toBeUndefined();
  expect(resetTime('resets 3pm (Middle/Earth)', at)).toBeUndefined();
  expect(resetTime('Please retry in 34s.', null)).toBeUndefined();
  expect(troubleOf('Please retry in 34s.', at)).toEqual({ code: 'apiError' });
  expect(troubleOf('quota exceeded. Please retry in 34s.', at)).toEqual({ code: 'limit', resetsAt: at + 34_000 });
  expect(troubleOf('anything', null, true)).toEqual({ code: 'limit' });
});

test('any text at all gives an answer at once', () => {
  const words = fc.constantFrom(
    'resets ',
    'in ',
    '3pm (UTC) ',
    'limit reached|',
    '17',
    '9'.repeat(13),
    'retry ',
    '5h',
    '2m',
    ' ',
    '(a/b)',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 400 }),
        fc.array(words, { maxLength: 60 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const time = resetTime(text, at);
        expect(time === undefined || Number.isSafeInteger(time)).toBe(true);
        isLimit(text);
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});
