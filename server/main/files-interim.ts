import fs from 'node:fs';
import path from 'node:path';
export function writeNew(file: string, bytes: Uint8Array, mode: number): { ok: true } | { ok: false; detail: string } {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, bytes, { mode, flag: 'wx' });
  return { ok: true };
}
