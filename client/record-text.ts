/** Which entry a webview's context menu was opened on, and a record as a person can read it. Pure. */

export interface EntryPlace {
  readonly thread: string;
  readonly entry: number;
}

/** Of the `data-vscode-context` of a row. It went through a page: nothing in it is believed. */
export function decodeEntryPlace(argument: unknown): EntryPlace | undefined {
  if (typeof argument !== 'object' || argument === null || !('thread' in argument) || !('entry' in argument)) return undefined;
  const { thread, entry } = argument;
  return typeof thread === 'string' && thread !== '' && thread.length <= 200 && Number.isSafeInteger(entry) && Number(entry) > 0
    ? { thread, entry: Number(entry) }
    : undefined;
}

/** JSON on lines of its own; anything else as it is. */
export function recordText(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return text;
  }
}
