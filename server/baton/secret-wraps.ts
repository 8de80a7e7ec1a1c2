/**
 * Where a secret goes on that was cut: by a terminal that wraps its lines, a shell's backslash, or a string that is put together in
 * code. What follows must look like a secret's half itself and end its line or string, so that the next word of a text is none.
 */

/** Behind a string's end, a line's end or both, up to where the next part begins. */
const glue =
  /(?:["'`] {0,8}(?:[+.&] {0,4})?(?:\\?\r?\n\s{0,24})?(?:[+.&] {0,4})?["'`]|\\?\r?\n[ \t]{0,16}(?:[+\-<>|│] {0,2})?|\\n)/y;
const part = /[\w+/=.~-]{6,512}/y;
const partsLimit = 8;
/** A terminal's line is at least so wide where it wraps. */
const wrapWidth = 60;

/** The end of the secret whose first part ends at `end`; `end` itself where it goes on nowhere. */
export function continuedEnd(text: string, end: number): number {
  let at = end;
  for (let parts = 0; parts < partsLimit; parts++) {
    const next = nextEnd(text, at);
    if (next === at) break;
    at = next;
  }
  return at;
}

const gluing = new Set('"\'`\\\n\r');

function nextEnd(text: string, end: number): number {
  if (!gluing.has(text[end] ?? '')) return end;
  glue.lastIndex = end;
  const between = glue.exec(text)?.[0];
  if (between === undefined || /^["'`] *["'`]$/.test(between)) return end;
  const wrapped = /^\r?\n|^\\n/.test(between);
  if (wrapped && end - lineStart(text, end) < wrapWidth) return end;
  part.lastIndex = end + between.length;
  const value = part.exec(text)?.[0];
  if (value === undefined || !looksLikeHalf(value)) return end;
  const behind = part.lastIndex;
  return behind >= text.length || gluing.has(text[behind] ?? '') ? behind : end;
}

/** Looks back as far as a wide terminal reaches. */
function lineStart(text: string, end: number): number {
  const from = Math.max(0, end - 400);
  const before = text.slice(from, end);
  return from + Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\\n')) + 1;
}

/** Digits and letters in disorder, and no hash, path or file name. */
function looksLikeHalf(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(value)) return false;
  if (/\.[a-z]{1,4}$/.test(value) || /^[./~]/.test(value)) return false;
  return /\d\D+\d|[a-z][A-Z]|[A-Z][a-z]+\d/.test(value);
}
