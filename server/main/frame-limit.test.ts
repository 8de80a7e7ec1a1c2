import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameLimit } from './frame-limit.ts';

const frame = (body: string, more = ''): string => `Content-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

/** What passes, and the failure if there is one. */
async function pass(
  bytes: Buffer,
  cuts: readonly number[],
  limit: number,
): Promise<{ passed: Buffer; failure: string | undefined }> {
  const frames = new FrameLimit(limit);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  for (const [index, edge] of edges.slice(1).entries()) frames.write(bytes.subarray(edges[index], edge));
  frames.end();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of frames) chunks.push(chunk as Buffer);
  } catch (error) {
    return { passed: Buffer.concat(chunks), failure: error instanceof Error ? error.message : '' };
  }
  return { passed: Buffer.concat(chunks), failure: undefined };
}

test('frames pass unchanged, however their bytes are split', async () => {
  const bodies = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(bodies, fc.array(fc.nat(1000), { maxLength: 12 }), async (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => frame(text, 'Content-Type: x\r\n')).join(''));
      expect(await pass(bytes, cuts, 200)).toEqual({ passed: bytes, failure: undefined });
    }),
    { seed: 5, numRuns: 200 },
  );
});

test('a message that is too long is refused at its header, however its bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 6 }), async (cuts) => {
      const bytes = Buffer.from(`${frame('{}')}Content-Length: 201\r\n\r\n${'x'.repeat(201)}`);
      const { passed, failure } = await pass(bytes, cuts, 200);
      expect(failure).toBe('a message of 201 bytes is too long');
      expect(passed.length).toBeLessThan(bytes.length - 200);
    }),
    { seed: 6, numRuns: 100 },
  );
});

test('bytes that are no frame are refused', async () => {
  expect((await pass(Buffer.from('x'.repeat(1025)), [], 200)).failure).toBe('a message header is too long');
  expect((await pass(Buffer.from('x'.repeat(1025)), [3, 500], 200)).failure).toBe('a message header is too long');
  expect((await pass(Buffer.from('rubbish\r\n\r\n'), [4], 200)).failure).toBe('a message has no length');
  expect((await pass(Buffer.from('Content-Length: -1\r\n\r\n'), [], 200)).failure).toBe('a message has no length');
});
