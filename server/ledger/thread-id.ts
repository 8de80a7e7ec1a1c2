/**
 * Thread ids: twelve letters and digits made from the first native session's harness and id, so that a ledger that is built
 * anew from the same files gives every thread its old id.
 */
import { createHash } from 'node:crypto';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export function threadIdOf(harness: HarnessId, nativeId: string): string {
  const digest = createHash('sha256').update(`${harness}\n${nativeId}`).digest();
  let id = '';
  for (let i = 0; i < 12; i++) id += alphabet[(digest[i] ?? 0) & 31];
  return id;
}
