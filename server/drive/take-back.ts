/**
 * Takes back the file of a hand-over that did not come to its end. Only what is byte for byte Loom's own is removed: with anything
 * else the target has gone on, and it stays, to become a thread of its own.
 */
import { sha256 } from './handoff.ts';
import type { World } from './world.ts';

export type TakenBack = 'nothing' | 'removed' | 'goneOnWith';

/** `hash`: of the bytes that were to be written. May be done any number of times. Throws when there is a file that cannot be read. */
export function takeBack(world: World, path: string, hash: string): TakenBack {
  const bytes = world.read(path);
  const unfinished = world.unfinished(path);
  const isOwn = bytes !== undefined && (sha256(bytes) === hash || isTornCopy(world, bytes, unfinished, hash));
  if (isOwn) world.remove(path);
  // Last: by them a torn copy is known for what it is.
  for (const file of unfinished) world.remove(file);
  return bytes === undefined ? 'nothing' : isOwn ? 'removed' : 'goneOnWith';
}

/** Where files cannot be linked they are copied, and a killed copy is a beginning of the whole file that is still beside it. */
function isTornCopy(world: World, bytes: Uint8Array, unfinished: readonly string[], hash: string): boolean {
  return unfinished.some((file) => {
    const whole = world.read(file);
    if (whole === undefined || whole.length <= bytes.length || sha256(whole) !== hash) return false;
    return Buffer.compare(whole.subarray(0, bytes.length), bytes) === 0;
  });
}
