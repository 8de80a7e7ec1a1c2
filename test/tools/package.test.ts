/** What the build makes and what the package holds are two lists: this keeps them one. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const linesOf = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8');

test('every bundle of the build is in the packaged extension', () => {
  const built = [...linesOf('esbuild.mjs').matchAll(/outfile: at\('([^']+)'\)/gu)].map(([, name]) => `!dist/${name}`);
  expect(built.length).toBeGreaterThan(2);
  expect(linesOf('.vscodeignore').split('\n')).toEqual(expect.arrayContaining(built));
});
