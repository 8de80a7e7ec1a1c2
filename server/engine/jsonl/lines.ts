/** The complete lines of a file, read in pieces so that no file is too large. What stands behind the last newline is a torn write and no line. */
import { isUtf8 } from 'node:buffer';
import { Rejected } from '../errors.ts';
import type { Files } from './files.ts';

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes of the file through this line's newline. */
  readonly through: number;
}

const piece = 1 << 20;
const newline = 0x0a;

/** Throws Rejected `malformed` for a line that is no text. */
export function* linesOf(files: Files, file: string): Generator<Line, void, undefined> {
  if (files.size(file) === undefined) return;
  const handle = files.openToRead(file);
  try {
    let pending: Buffer = Buffer.alloc(0);
    let [number, through] = [0, 0];
    for (let position = 0; ;) {
      const buffer = Buffer.allocUnsafe(piece);
      const read = files.read(handle, buffer, position);
      if (read === 0) return;
      position += read;
      const bytes = pending.length === 0 ? buffer.subarray(0, read) : Buffer.concat([pending, buffer.subarray(0, read)]);
      let start = 0;
      for (let at = bytes.indexOf(newline, pending.length); at >= 0; at = bytes.indexOf(newline, start)) {
        const line = bytes.subarray(start, at);
        number++;
        through += line.length + 1;
        if (!isUtf8(line)) throw malformed(file, number, 'it is not UTF-8');
        yield { text: line.toString('utf8'), number, through };
        start = at + 1;
      }
      pending = bytes.subarray(start);
    }
  } finally {
    files.close(handle);
  }
}

/** Whether a line ends behind that many bytes of the file. */
export function hasLine(files: Files, file: string, from: number): boolean {
  const handle = files.openToRead(file);
  try {
    const buffer = Buffer.allocUnsafe(piece);
    for (let position = from; ;) {
      const read = files.read(handle, buffer, position);
      if (read === 0) return false;
      if (buffer.subarray(0, read).includes(newline)) return true;
      position += read;
    }
  } finally {
    files.close(handle);
  }
}

export function malformed(file: string, line: number, what: string): Rejected {
  return new Rejected('malformed', `line ${line} of ${file} cannot be read: ${what}`);
}
