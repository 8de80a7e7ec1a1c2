/**
 * How deep JSON is nested. Reading a file back needs a level of the stack for each; what could be written near the end of the stack could
 * then never be opened again, so a line says no to it long before.
 */
import { Rejected } from '../errors.ts';

export const deepest = 3100;

/** Throws Rejected `malformed` for a JSON text that is nested deeper than a file may hold. */
export function checkNesting(text: string): void {
  // Each level takes two signs.
  if (text.length <= deepest * 2) return;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (inString) {
      if (sign === backslash) i++;
      else if (sign === quote) inString = false;
    } else if (sign === quote) inString = true;
    else if (sign === openBrace || sign === openBracket) {
      if (++depth > deepest)
        throw new Rejected('malformed', `what is stored in a file of lines is nested at most ${deepest} levels deep`);
    } else if (sign === closeBrace || sign === closeBracket) depth--;
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
