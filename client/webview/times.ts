/** Times as a timeline shows them, in the person's own zone and language. */

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export function clock(at: number | null): string {
  return isTime(at) ? clockFormat.format(at) : '';
}
export function wholeTime(at: number | null): string {
  return isTime(at) ? wholeFormat.format(at) : '';
}
/** When something ends, as short as it is clear to who reads it beside `at`: the clock on the same day, else with the date. */
export function until(end: number, at: number | null): string {
  if (!isTime(end)) return '';
  return isTime(at) && new Date(at).toDateString() === new Date(end).toDateString()
    ? clockFormat.format(end)
    : dateFormat.format(end);
}
/** The day of the first row, above which no other says it; '' for today. */
export function firstDay(at: number | null, now: number): string {
  return newDay(now, at);
}
/** '' when both are on one day, or either is unknown. */
export function newDay(before: number | null, at: number | null): string {
  if (!isTime(before) || !isTime(at)) return '';
  return new Date(before).toDateString() === new Date(at).toDateString() ? '' : dayFormat.format(at);
}

/** Records carry any number as their time; a date has a range (ECMA-262 21.4.1.1). */
function isTime(at: number | null): at is number {
  return at !== null && Math.abs(at) <= 8.64e15 && at > 0;
}
