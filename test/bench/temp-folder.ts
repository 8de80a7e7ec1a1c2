/** A folder that is there while something is measured, and gone afterwards. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-bench-'));
  try {
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
