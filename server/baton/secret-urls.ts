/** Passwords and tokens in the part of a URL that stands before its host. */
import type { Finding } from './secrets.ts';
import { isSpace } from './characters.ts';
import { isReference, looksRandom } from './secret-value.ts';

const endsUrl = new Set('"\'`<>\\«»');

/** `scheme://user:password@host`: the password, also one that holds a slash; `scheme://token@host` and `scheme://token:x@host`: the token. */
export function urlCredential(text: string, from: number): Finding | undefined {
  let end = from;
  let at = -1;
  let colon = -1;
  let slash = -1;
  let stop = Math.min(text.length, from + 512);
  while (end < stop && !endsUrl.has(text[end]!) && !isSpace(text, end)) {
    const character = text[end];
    if (character === '@') {
      at = end;
      if (slash >= 0) break;
    } else if (character === ':' && colon < 0) colon = end;
    else if (slash < 0 && (character === '/' || character === '?' || character === '#')) {
      // Behind a host there is a port at most.
      if (at >= 0 || colon < 0 || text[from] === '[' || /^\d{0,5}$/.test(text.slice(colon + 1, Math.min(end, colon + 7)))) break;
      slash = end;
      stop = Math.min(stop, end + 128);
    }
    end++;
  }
  if (at < 0) return undefined;
  const start = colon >= 0 && colon < at ? colon + 1 : from;
  const user = text.slice(from, start === from ? at : colon);
  if (user.length >= 20 && looksRandom(user)) return { start: from, end: at, kind: 'url-password' };
  const value = text.slice(start, at);
  return start === from || value === '' || isReference(value) ? undefined : { start, end: at, kind: 'url-password' };
}
