/** An object of a git store, written as git itself holds one that stands alone: its kind and size, a NUL, its content, deflated, named by SHA-1. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';

export type ObjectKind = 'blob' | 'tree' | 'commit';

export function objectId(kind: ObjectKind, content: Uint8Array): string {
  return createHash('sha1').update(headOf(kind, content)).update(content).digest('hex');
}

export function isLoose(store: string, id: string): boolean {
  return (fs.statSync(fileOf(store, id), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** It is there whole or not at all, as durable as git makes it. Throws what the file system throws. */
export async function writeLoose(store: string, kind: ObjectKind, content: Uint8Array): Promise<string> {
  const id = objectId(kind, content);
  const whole = Buffer.concat([headOf(kind, content), content]);
  const bytes = whole.length > mostAtOnce ? await deflated(whole) : deflateSync(whole);
  const file = fileOf(store, id);
  const temporary = path.join(path.dirname(file), `tmp_obj_${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    fs.writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o444 });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  return id;
}

/** Bytes that are deflated at once; more is done beside everything else. */
const mostAtOnce = 4096;
const deflated = promisify(deflate) as (bytes: Uint8Array) => Promise<Buffer>;

function fileOf(store: string, id: string): string {
  return path.join(store, 'objects', id.slice(0, 2), id.slice(2));
}

function headOf(kind: ObjectKind, content: Uint8Array): Buffer {
  return Buffer.from(`${kind} ${content.length}\0`, 'latin1');
}
