import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pictureFacts } from './picture.ts';

const hex = (text: string): string => Buffer.from(text.replaceAll(/\s/g, ''), 'hex').toString('base64');
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

test.each([
  ['a PNG', png, { mimeType: 'image/png', width: 1, height: 1 }],
  ['a GIF', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', { mimeType: 'image/gif', width: 1, height: 1 }],
  [
    'a JPEG behind its notes',
    hex(`ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 0bb8 0fa0 03 ${'00'.repeat(9)}`),
    { mimeType: 'image/jpeg', width: 4000, height: 3000 },
  ],
  [
    'a WebP with one layer',
    hex(`52494646 24000000 57454250 56503820 18000000 300100 9d012a 8002 e001 ${'00'.repeat(8)}`),
    { mimeType: 'image/webp', width: 640, height: 480 },
  ],
  [
    'a WebP with layers',
    hex(`52494646 24000000 57454250 56503858 0a000000 00000000 3f1f00 0f0000 ${'00'.repeat(4)}`),
    { mimeType: 'image/webp', width: 8000, height: 16 },
  ],
  ['a PNG that is cut', png.slice(0, 12), { mimeType: 'image/png' }],
  ['anything else', 'AAAA', undefined],
  ['nothing', '', undefined],
])('%s is known by its own bytes', (_name, data, facts) => {
  expect(pictureFacts(data)).toEqual(facts);
});

test('any bytes give an answer', () => {
  const starts = fc.constantFrom('', '89504e470d0a1a0a', 'ffd8ff', '474946383961', '52494646000000005745425056503858');
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 60 }), (start, rest) => {
      const data = Buffer.concat([Buffer.from(start, 'hex'), rest]).toString('base64');
      expect(() => pictureFacts(data)).not.toThrow();
    }),
    { numRuns: 500, seed: 11 },
  );
});
