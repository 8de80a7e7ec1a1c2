/**
 * Run by the checkout's own Node: `write-session.mjs HARNESS HOME [FILE] < request.json` writes one session with that shuttle's writer
 * (source, not the bundle), as `loom continue` would, or goes on in the session of that file; prints { nativeId, path, warnings, bytes },
 * or { refusal }.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const headSize = 256 * 1024;
const tailSize = 8 * 1024 * 1024;

const [harness, home, file] = process.argv.slice(2);
const writer = (await import(`../../shuttles/${harness}/write.ts`))[`${harness}Write`];
const request = JSON.parse(fs.readFileSync(0, 'utf8'));
const now = Date.now();
const variables = { CLAUDE_CONFIG_DIR: process.env.CLAUDE_CONFIG_DIR, CODEX_HOME: process.env.CODEX_HOME };
const environment = { platform: process.platform, home, variables };
console.log(JSON.stringify(file === undefined ? written() : appended()));

function written() {
  const nativeId = writer.newNativeId(now, crypto.randomBytes(16));
  const { path: at, bytes, mode, warnings } = writer.write({ ...request, nativeId, now }, environment);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, bytes, { mode, flag: 'wx' });
  return { nativeId, path: at, warnings, bytes: bytes.length };
}

function appended() {
  const { nativeId, ...rest } = request;
  const all = fs.readFileSync(file);
  const existing = {
    nativeId,
    path: file,
    size: all.length,
    head: all.subarray(0, headSize),
    tail: all.subarray(-tailSize),
  };
  const made = writer.append.append({ ...rest, now, existing }, environment);
  if (!made.ok) return { refusal: made.refusal };
  fs.appendFileSync(file, made.bytes);
  return { nativeId, path: file, warnings: made.warnings, bytes: made.bytes.length };
}
