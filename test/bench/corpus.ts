/**
 * Writes a home as people have it: at scale 1 about 1,450 session files with 485 MB, two thirds Claude Code, sizes log-normal
 * (most below 200 KB, few above 5 MB), spread over 40 projects and 90 days. Deterministic but for the end of its time span.
 */
import fs from 'node:fs';
import path from 'node:path';
import { claudeSession } from './claude-session.ts';
import type { MadeSession } from './claude-session.ts';
import { codexSession } from './codex-session.ts';
import { Words } from './words.ts';

export interface CorpusFile {
  readonly path: string;
  readonly harness: 'claude' | 'codex';
  readonly id: string;
  readonly cwd: string;
  readonly bytes: number;
  readonly updatedAt: number;
}
export interface Corpus {
  readonly home: string;
  /** Newest first. */
  readonly files: readonly CorpusFile[];
  readonly bytes: number;
  readonly lines: number;
}

const fullFiles = 1450;
const fullBytes = 485_000_000;

export function writeCorpus(home: string, scale: number, now: number): Corpus {
  const words = new Words(4711);
  const count = Math.max(24, Math.round(fullFiles * scale));
  const sizes = Array.from({ length: count }, () => Math.min(30_000_000, Math.max(40_000, words.size(110_000, 1.35))));
  const factor = (fullBytes * scale) / sizes.reduce((sum, size) => sum + size, 0);
  const files: CorpusFile[] = [];
  let lines = 0;
  for (const [index, size] of sizes.entries()) {
    const updatedAt = now - Math.floor((index / count) * 90 * 86_400_000) - 60_000;
    const harness = index % 3 === 2 ? 'codex' : 'claude';
    const cwd = `/home/user/project-${index % 40}`;
    const session =
      harness === 'claude'
        ? claudeSession(index * 10 + 1, cwd, updatedAt - 7_200_000)
        : codexSession(index * 10 + 1, cwd, updatedAt - 7_200_000);
    const file =
      harness === 'claude'
        ? path.join(home, '.claude/projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${session.id}.jsonl`)
        : codexPath(home, session.id, updatedAt);
    const written = writeSession(file, session, size * factor, updatedAt);
    lines += written.lines;
    files.push({ path: file, harness, id: session.id, cwd, bytes: written.bytes, updatedAt });
  }
  return { home, files, bytes: files.reduce((sum, file) => sum + file.bytes, 0), lines };
}

function codexPath(home: string, id: string, at: number): string {
  const stamp = new Date(at).toISOString();
  return path.join(
    home,
    '.codex/sessions',
    stamp.slice(0, 10).replaceAll('-', '/'),
    `rollout-${stamp.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`,
  );
}

/** Streams rows to a file until it has about `bytes`; holds at most one block of 1 MB. */
export function writeSession(
  file: string,
  session: MadeSession,
  bytes: number,
  updatedAt: number,
): { readonly bytes: number; readonly lines: number } {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const descriptor = fs.openSync(file, 'w');
  let written = 0;
  let lines = 0;
  let block: string[] = [];
  let blockLength = 0;
  const flush = (): void => {
    written += fs.writeSync(descriptor, block.join(''));
    block = [];
    blockLength = 0;
  };
  for (const row of session.rows()) {
    block.push(row, '\n');
    blockLength += row.length + 1;
    lines++;
    if (blockLength >= 1_048_576 || written + blockLength >= bytes) flush();
    if (written >= bytes) break;
  }
  fs.closeSync(descriptor);
  fs.utimesSync(file, updatedAt / 1000, updatedAt / 1000);
  return { bytes: written, lines };
}

/** A session whose second row is one line of `bytes`: a tool result that nobody cut. */
export function writeLongLine(home: string, bytes: number, now: number): string {
  const session = claudeSession(99_001, '/home/user/long', now - 60_000);
  const file = path.join(home, '.claude/projects/-home-user-long', `${session.id}.jsonl`);
  const rows = session.rows();
  const taken: string[] = [];
  for (const row of rows) {
    taken.push(
      row.includes('"tool_result"')
        ? row.replace('"content":"', `"content":"${'0123456789abcdef '.repeat(Math.ceil(bytes / 17))}`)
        : row,
    );
    if (taken.length >= 40) break;
  }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Only the first result stays long: the others go back to their size.
  let kept = false;
  const lines = taken.map((row) => {
    if (row.length < bytes) return row;
    if (!kept) {
      kept = true;
      return row;
    }
    return row.replaceAll('0123456789abcdef ', '');
  });
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
