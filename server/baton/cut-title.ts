/**
 * Titles are cut when they are read (`titleLength` in shuttles/kit/title.ts), maybe within a secret: what is left of it is too short to have a
 * shape by which it could be masked.
 */

/** Without the word that the cut went through, unless that is a plain word. An address may end within its password, before the `@` that tells it. */
export function withoutCutWord(title: string): string {
  const word = /[!-~]+…$/.exec(title)?.[0];
  return word === undefined || !/\d|[a-z][A-Z]|:\/\/[^/]*:/.test(word) ? title : `${title.slice(0, -word.length)}…`;
}
