/** Which Node Loom can run on: SQLite's binary needs Node-API 10 and ends an older process without a word. */
import { Fault } from '../protocol/faults.ts';

/** Throws `Fault` N001. Must run before anything that loads better-sqlite3. */
export function refuseOldRuntime(
  versions: { readonly napi?: string | undefined; readonly node: string } = process.versions,
): void {
  if (Number(versions.napi ?? 0) < 10) throw new Fault('N001', `This one is ${versions.node}.`);
}
