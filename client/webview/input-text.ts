/** What a call was given, as a person reads it: a line a value, longer texts below their name. What is no JSON object stays as it is. */

export function inputText(input: string): string {
  const value = parsed(input);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return input;
  return Object.entries(value)
    .map(([name, part]) => line(name, part))
    .join('\n');
}

function line(name: string, part: unknown): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part, null, 2);
  if (!text.includes('\n')) return `${name}: ${text}`;
  const indented = text
    .replace(/\n$/u, '')
    .split('\n')
    .map((one) => `  ${one}`);
  return `${name}:\n${indented.join('\n')}`;
}

/** A long input was cut for the wire. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
