/**
 * Makes a transcript's text safe to stand in a document: no terminal control, nothing invisible that reorders or hides
 * text, one kind of line end. What a person could see stays. Total and linear.
 */

/** ANSI: control sequences, operating system commands (titles, links), and two-character escapes. */
// eslint-disable-next-line no-control-regex
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[@-Z\\^_`-~])?|\u009b[0-?]*[ -/]*[@-~]?/g;
/** Controls but tab and line feed; bidi marks, embeddings and isolates; zero width; tags and other invisible carriers. */
const invisible =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\uddef]/g;
const lineEnds = /\r\n|[\r\u000b\u000c\u0085\u2028\u2029]/g;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A character by which any of the above may begin, but for halves of pairs: most texts have none, and nothing in them is to be changed. */
const odd =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\udb40]/;
const isPlain = (text: string): boolean => !odd.test(text) && text.isWellFormed();

export function cleanText(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(ansi, '').replace(lineEnds, '\n').replace(invisible, '').replace(loneSurrogate, '\ufffd');
}

/**
 * Without what steers a terminal, turns the writing direction or stands between letters unseen; every other character stays, line ends
 * and joiners too. For what has to stay as exact as it can: the arguments of a call, a path.
 */
export function withoutControls(text: string): string {
  return isPlain(text) ? text : text.replace(ansi, '').replace(steering, '');
}
const steering =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Clean and on one line, runs of blanks as one. */
export function oneLine(text: string): string {
  const clean = cleanText(text);
  return (blanks.test(clean) ? clean.replace(/\s+/g, ' ') : clean).trim();
}
/** Others than single spaces. */
const blanks = /\s\s|[^\S ]/;

/** At most `limit` characters, cut at a word where one is near, never through a surrogate pair or a mark of a masked secret. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = Math.max(0, limit - 1);
  const blank = text.lastIndexOf(' ', end);
  if (blank > end - 24 && blank > end * 0.6) end = blank;
  return `${text.slice(0, wholeEnd(text, end))}…`;
}

/** The beginning and the end of a long text, with a note of how much is left out between them. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = wholeEnd(text, Math.floor(limit * 0.6));
  let tail = text.length - Math.max(0, limit - head - 32);
  const open = text.lastIndexOf('«', tail);
  const close = text.indexOf('»', open);
  if (open >= head && tail - open < 48 && close >= tail && close - open < 48) tail = close + 1;
  if (/[\udc00-\udfff]/.test(text[tail] ?? '')) tail++;
  return `${text.slice(0, head)} […${tail - head} characters…] ${text.slice(tail)}`;
}

/** Where a text can be cut at `at` or shortly before: never through a surrogate pair or a mark of a masked secret. */
export function wholeEnd(text: string, at: number): number {
  let end = at;
  const open = text.lastIndexOf('«', end - 1);
  if (open >= 0 && end - open < 48) {
    const close = text.indexOf('»', open);
    if (close >= end && close - open < 48) end = open;
  }
  if (end > 0 && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
  return end;
}
