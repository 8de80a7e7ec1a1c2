/**
 * Which changes a command is meant for. Commands are called by menus, pages and other extensions: what they are called with is
 * decoded here, and documents of snapshots carry the same in their address. Pure.
 */

export interface ChangeTarget {
  /** null: of no thread. */
  readonly thread: string | null;
  /** Snapshots. */
  readonly before: number;
  readonly after: number;
  /** One file of it, as the server writes it; null: all. */
  readonly path: string | null;
}

/** undefined: it names no changes. */
export function changeTargetOf(argument: unknown): ChangeTarget | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { thread, before, after, path } = argument as Readonly<Record<string, unknown>>;
  if (!isNumber(before) || !isNumber(after)) return undefined;
  return {
    thread: typeof thread === 'string' && thread !== '' ? thread : null,
    before,
    after,
    path: typeof path === 'string' && path !== '' ? path : null,
  };
}

/** One side of a file's change: whose content a document holds. */
export interface SnapshotPlace {
  readonly snapshot: number;
  readonly target: ChangeTarget;
}

export function placeQuery({ snapshot, target }: SnapshotPlace): string {
  return JSON.stringify([snapshot, target.before, target.after, target.thread, target.path]);
}

/** undefined: no document of a snapshot has that. */
export function placeOf(query: string): SnapshotPlace | undefined {
  try {
    const parts: unknown = JSON.parse(query);
    if (!Array.isArray(parts)) return undefined;
    const [snapshot, before, after, thread, path] = parts as readonly unknown[];
    const target = changeTargetOf({ before, after, thread, path });
    return target === undefined || !isNumber(snapshot) ? undefined : { snapshot, target };
  } catch {
    return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
