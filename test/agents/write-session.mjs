/**
 * Run by the checkout's own Node: `write-session.mjs HARNESS HOME < request.json` writes one session with that shuttle's
 * writer (source, not the bundle), as `loom continue` would, and prints { nativeId, path, warnings }.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const [harness, home] = process.argv.slice(2);
const writer = (await import(`../../shuttles/${harness}/write.ts`))[`${harness}Write`];
const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const now = Date.now();
const nativeId = writer.newNativeId(now, crypto.randomBytes(16));
const environment = { platform: process.platform, home, variables: {} };
const written = writer.write({ ...request, nativeId, now }, environment);
fs.mkdirSync(path.dirname(written.path), { recursive: true });
fs.writeFileSync(written.path, written.bytes, { mode: written.mode, flag: 'wx' });
console.log(
  JSON.stringify({ nativeId: written.nativeId, path: written.path, warnings: written.warnings, bytes: written.bytes.length }),
);
