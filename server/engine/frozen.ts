/** JSON that several readers hold: whoever changes it meets a TypeError, and nobody else a changed value. */

/** Freezes the value and all that is in it, in place. */
export function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) continue;
    Object.freeze(part);
    for (const inner of Object.values(part) as readonly unknown[]) if (typeof inner === 'object') open.push(inner);
  }
  return value;
}
