/**
 * The secret of a ledger: who can read this file may speak to the ledger's owner. It never goes over the socket; both
 * sides prove that they have it (an HMAC over two fresh challenges), so that neither an impostor that took the socket's
 * name nor another person's process learns anything.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { folderFault } from './folder-fault.ts';
import { privateFile } from './platform.ts';

/** Sides of a connection; each proves in its own name, so that a proof cannot be sent back to its maker. */
export type Side = 'owner' | 'client';

export class Secret {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  proof(side: Side, ownerChallenge: string, clientChallenge: string): string {
    return createHmac('sha256', this.#key).update(`loom/1 ${side} ${ownerChallenge} ${clientChallenge}`).digest('hex');
  }

  proves(given: unknown, side: Side, ownerChallenge: string, clientChallenge: string): boolean {
    const expected = Buffer.from(this.proof(side, ownerChallenge, clientChallenge));
    const shown = Buffer.from(typeof given === 'string' ? given : '');
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  }
}

const secretName = 'owner.key';
const keyLength = 32;

/** undefined: there is none yet, or it cannot be read. */
export function readSecret(folder: string): Secret | undefined {
  try {
    const key = Buffer.from(fs.readFileSync(path.join(folder, secretName), 'latin1').trim(), 'hex');
    return key.length === keyLength ? new Secret(key) : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Only the ledger's owner makes one. `random` gives so many random bytes. Throws `Fault` L004 or L005. */
export function ensureSecret(folder: string, random: (length: number) => Buffer): Secret {
  const known = readSecret(folder);
  if (known !== undefined) return known;
  const key = random(keyLength);
  const file = path.join(folder, secretName);
  const temporary = `${file}.tmp`;
  try {
    fs.rmSync(temporary, { force: true });
    fs.writeFileSync(temporary, `${key.toString('hex')}\n`, { mode: privateFile, flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch (error) {
    throw folderFault(error, file);
  }
  return new Secret(key);
}
