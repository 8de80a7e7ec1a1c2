/** For `JSON.stringify`: texts with NUL or half a character were seen to make requests fail; they become the replacement character. */
export function sendable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}
