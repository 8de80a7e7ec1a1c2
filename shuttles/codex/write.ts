/**
 * A thread as a new Codex rollout. Legacy form: accepted by 0.39 to 0.171, and what Codex's own importer writes. No base
 * instructions (they would be sent as such), no foreign reasoning (the provider refuses it), no model provider (so that any
 * configuration can resume it). `codex resume <id>` finds the file at once; the picker and `--last` have it from its first turn there.
 */
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { uuidV7 } from '../kit/uuid.ts';
import { codexHome, joining } from './find.ts';
import { codexAppend } from './append.ts';
import { codexLosses } from './losses.ts';
import { carriedLines } from './write/carried-lines.ts';
import { storable, type Line } from './write/lines.ts';
import { windowRoom } from './write/size.ts';

export const codexWrite: Write = {
  append: codexAppend,
  losses: codexLosses,

  newNativeId: uuidV7,
  write(request, environment): WrittenSession {
    const form = { mode: 'legacy', thread: request.nativeId, at: request.now } as const;
    const carried = carriedLines(request, form, { room: windowRoom });
    const lines: readonly Line[] = [{ type: 'session_meta', payload: header(request) }, ...carried.lines];
    const text = lines.map((line, index) => storable({ timestamp: iso(request.now + index), ...line })).join('\n');
    return {
      path: rolloutPath(request, environment),
      bytes: new TextEncoder().encode(`${text}\n`),
      nativeId: request.nativeId,
      mode: 0o600,
      warnings: carried.warnings,
    };
  },
};

function header(request: WriteRequest): Line['payload'] {
  return {
    id: request.nativeId,
    timestamp: iso(request.now),
    cwd: request.cwd,
    originator: 'loom',
    cli_version: request.programVersion ?? '0.0.0',
    source: 'cli',
  };
}

/** `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` in local time, as Codex names its own. */
function rolloutPath(request: WriteRequest, environment: Environment): string {
  const local = new Date(request.now);
  const [year, month, day] = [String(local.getFullYear()), two(local.getMonth() + 1), two(local.getDate())];
  const time = `${two(local.getHours())}-${two(local.getMinutes())}-${two(local.getSeconds())}`;
  const name = `rollout-${year}-${month}-${day}T${time}-${request.nativeId}.jsonl`;
  return joining(environment)(codexHome(environment), 'sessions', year, month, day, name);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
