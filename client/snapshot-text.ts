/**
 * A file of a snapshot as the text of an editor. What cannot be shown as text is one line that says so, and names what it is, so that two
 * different contents are two different lines.
 */
import { createHash } from 'node:crypto';
import type { SnapshotContent } from '../server/protocol/world.ts';
import { bytes } from './amounts.ts';

export function snapshotText(content: SnapshotContent): string {
  if (!content.ok) return absentText(content);
  const data = Buffer.from(content.base64, 'base64');
  if (content.binary) {
    const hash = createHash('sha256').update(data).digest('hex').slice(0, 12);
    return `This file is no text: ${bytes(data.byteLength)}, sha256 ${hash}….\n`;
  }
  return new TextDecoder(encodingOf(data)).decode(data);
}

function absentText({ reason, size }: Extract<SnapshotContent, { readonly ok: false }>): string {
  switch (reason) {
    case 'missing':
      return '';
    case 'large':
      return `This file is too large to be shown: ${bytes(size)}.\n`;
    case 'pruned':
      return 'This snapshot was dropped by age or size: what it held is no longer known.\n';
  }
}

/** By its byte order mark; else UTF-8, in which any bytes have a reading. */
function encodingOf(data: Uint8Array): string {
  if (data[0] === 0xff && data[1] === 0xfe) return 'utf-16le';
  return data[0] === 0xfe && data[1] === 0xff ? 'utf-16be' : 'utf-8';
}
