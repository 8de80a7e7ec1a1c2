/**
 * Names of rollout files: `rollout-<local time>-<thread id>[_<segment id>].jsonl[.zst]`. Codex 0.171 takes any name that
 * starts with `rollout-` and holds the thread's uuid; the segment id names the file that a rewind began.
 */

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const inName = new RegExp(`(${uuid})(?:_(${uuid}))?`, 'i');
const whole = new RegExp(`^${uuid}$`, 'i');

export interface RolloutName {
  readonly thread?: string;
  readonly segment?: string;
}

export function isRolloutName(name: string): boolean {
  return name.startsWith('rollout-') && (name.endsWith('.jsonl') || name.endsWith('.jsonl.zst'));
}

/** `path` may use either separator. */
export function rolloutName(path: string): RolloutName {
  const found = inName.exec(baseName(path));
  if (found === null) return {};
  const [, thread, segment] = found;
  return { ...(thread && { thread: thread.toLowerCase() }), ...(segment && { segment: segment.toLowerCase() }) };
}

export function isUuid(text: string): boolean {
  return whole.test(text);
}

/** The time inside a uuid of version 7, milliseconds since 1970; undefined for any other text. */
export function uuidTime(text: string): number | undefined {
  if (!isUuid(text) || text.charAt(14) !== '7') return undefined;
  return Number.parseInt(text.slice(0, 8) + text.slice(9, 13), 16);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
