/** Files of a git store, put there as git does it: written beside their place under a name like its own for what is on its way, then renamed. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Names of files on their way are of this process and no other. */
const processMark = randomBytes(6).toString('hex');
let written = 0;

/** It is there whole or not at all. `begin`: of its name on its way, which begins with `tmp_`. Throws what the file system throws. */
export function putFile(file: string, bytes: Uint8Array, begin: string): void {
  const temporary = `${begin}${processMark}${(++written).toString(36)}`;
  try {
    fs.writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o444 });
    moveTo(file, temporary);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Into a folder that mostly is there. */
function moveTo(file: string, temporary: string): void {
  try {
    fs.renameSync(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.renameSync(temporary, file);
  }
}

/** What was on its way in that folder, if it is there and can be read. Only when nothing is written there. */
export function clearHalf(folder: string): void {
  for (const name of namesIn(folder)) if (name.startsWith('tmp_')) fs.rmSync(path.join(folder, name), { force: true });
}

/** None of a folder that is not there or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
