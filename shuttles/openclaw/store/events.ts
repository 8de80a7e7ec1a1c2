/** One event of a transcript to a record: JSON as text, or compressed with Zstandard when that saved something. Bounded in memory. */
import type { Tables } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { parseObject } from '../../kit/fields.ts';
import { decompress } from '../../kit/zstd.ts';

/** OpenClaw compresses events of at most 4 MiB. */
const mostEventBytes = 64 * 1024 * 1024;

export type Unpacked = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

export function unpack(bytes: Uint8Array, most = mostEventBytes): Unpacked {
  const parts: Uint8Array[] = [];
  let length = 0;
  // The decoder keeps what it is given; a row's bytes may lie in memory that is used again.
  for (const part of decompress([Uint8Array.from(bytes)])) {
    if (!part.ok) return { ok: false, reason: part.reason };
    length += part.bytes.length;
    if (length > most) return { ok: false, reason: `unpacked it is longer than ${most} bytes` };
    parts.push(part.bytes);
  }
  return { ok: true, text: Buffer.concat(parts).toString('utf8') };
}

export function eventRecord(seq: number, json: unknown, zstd: unknown): NativeRecord {
  const unpacked: Unpacked =
    typeof json === 'string'
      ? { ok: true, text: json }
      : zstd instanceof Uint8Array
        ? unpack(zstd)
        : { ok: false, reason: 'the row holds no event' };
  if (!unpacked.ok) return { ok: false, offset: seq, length: 1, text: '', reason: unpacked.reason };
  return lineRecord(seq, unpacked.text);
}

export function lineRecord(position: number, text: string): NativeRecord {
  const value = parseObject(text);
  if (value === undefined)
    return { ok: false, offset: position, length: 1, text: text.slice(0, 4096).toWellFormed(), reason: 'no JSON object' };
  return { ok: true, offset: position, length: 1, value };
}

/** Is the session's transcript in the table of events? */
export function hasEvents(tables: Tables, session: string): boolean {
  return tables.all('SELECT 1 FROM transcript_events WHERE session_id = ? LIMIT 1', session).length > 0;
}
