/**
 * What a picture's own bytes say: its type and its size in pixels. What a record claims of a picture may be wrong, and a server refuses a
 * whole request for one picture that is not what it is said to be. Only the first part of the data is decoded; never throws.
 */
export interface PictureFacts {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels; absent when the size stands too far in. */
  readonly width?: number;
  readonly height?: number;
}

/** A JPEG has its size behind its notes, a small picture of itself among them. */
const looked = 700_000;

/** `data` is base64. undefined: it is none of the four types. */
export function pictureFacts(data: string): PictureFacts | undefined {
  const bytes = Buffer.from(data.slice(0, looked), 'base64');
  const starts = (mark: string, at = 0): boolean => bytes.toString('latin1', at, at + mark.length) === mark;
  if (starts('\x89PNG\r\n\x1a\n')) return sized('image/png', bytes, 24, () => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
  if (starts('GIF87a') || starts('GIF89a'))
    return sized('image/gif', bytes, 10, () => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]);
  if (starts('RIFF') && starts('WEBP', 8)) return sized('image/webp', bytes, 30, () => webp(bytes));
  if (starts('\xff\xd8\xff')) return sized('image/jpeg', bytes, 4, () => jpeg(bytes));
  return undefined;
}

function sized(
  mimeType: PictureFacts['mimeType'],
  bytes: Buffer,
  least: number,
  read: () => readonly [number, number] | undefined,
): PictureFacts {
  const size = bytes.length < least ? undefined : read();
  return size === undefined ? { mimeType } : { mimeType, width: size[0], height: size[1] };
}

function webp(bytes: Buffer): readonly [number, number] | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    default:
      return undefined;
  }
}

/** The first frame header; segments before it are passed over by their lengths. */
function jpeg(bytes: Buffer): readonly [number, number] | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    if (marker === 0xff) at += 1;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
