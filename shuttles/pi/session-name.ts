/**
 * Names that pi gives to sessions, files and folders. The name of a file is a convention only: whatever ends in `.jsonl` is opened by
 * pi, and the header decides. Ids taken from records and names are claims, matched against these forms before anything is done.
 */

/** Begins with no dash (it becomes an argument) and holds no separator. pi makes UUIDs, `--session-id` takes other names. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const uuidAtEnd = /(?:^|_)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const stampForm = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:-\d{3}|\.\d{3})Z_(.+)$/;

export function isSessionId(text: string): boolean {
  return idForm.test(text);
}

/** Could this path below a sessions folder be a session's file? Folders of a project are one level deep. */
export function isSessionPath(relative: string): boolean {
  const parts = relative.split('/');
  return parts.length <= 2 && !parts.includes('..') && !parts.includes('') && relative.endsWith('.jsonl');
}

export interface SessionFile {
  /** Name of the folder that it lies in; '' when there is none. */
  readonly folder: string;
  /** Name without its ending. */
  readonly stem: string;
  /** The session's id as the name tells it: `<time>_<id>`. */
  readonly id: string | undefined;
}

/** Reads a path of any platform, also one that only stands in a record. */
export function sessionFile(path: string): SessionFile {
  const parts = path.replaceAll('\\', '/').split('/');
  const name = parts.pop() ?? '';
  const stem = name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : name;
  const id = uuidAtEnd.exec(stem)?.[1] ?? stampForm.exec(stem)?.[1];
  return { folder: parts.pop() ?? '', stem, id: id !== undefined && isSessionId(id) ? id : undefined };
}

/**
 * The folder below `sessions` for a working folder: one leading separator goes, every `/`, `\` and `:` becomes `-` (0.73, 1.6).
 * Lossy: `a-b` and `a/b` share one. It is never decoded, only compared.
 */
export function projectFolder(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}
