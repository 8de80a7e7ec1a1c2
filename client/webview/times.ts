/** Times as a timeline shows them, in the person's own zone and language. */

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export function clock(at: number | null): string {
  return isTime(at) ? clockFormat.format(at) : '';
}
export function wholeTime(at: number | null): string {
  return isTime(at) ? wholeFormat.format(at) : '';
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
