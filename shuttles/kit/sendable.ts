/**
 * For `JSON.stringify`: texts and names with NUL or half a character make requests to models fail, so they become the replacement
 * character.
 */
export function sendable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return sendableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const odd = Object.keys(value).some((name) => sendableText(name) !== name);
  return odd ? Object.fromEntries(Object.entries(value).map(([name, member]) => [sendableText(name), member as unknown])) : value;
}

export function sendableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
