/**
 * A thread as a new Codex rollout. Legacy form: accepted by 0.39 to 0.171, and what Codex's own importer writes. No base
 * instructions (they would be sent as such), no foreign reasoning (the provider refuses it), no model provider (so that any
 * configuration can resume it). `codex resume <id>` finds the file at once; for picker and `--last` see `visibilityNudge`.
 */
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { oneLine } from '../kit/fields.ts';
import { codexHome, joining } from './find.ts';
import { storable, tokenEstimate, turnLines, type Line } from './write/lines.ts';
import { turnsOf, type Piece } from './write/pieces.ts';
import { fit, sizeOf } from './write/size.ts';

export const codexWrite: Write = {
  append: { absent: 'Loom does not go on with a session of Codex yet: it writes a new one.' },
  losses: [],

  newNativeId: uuidV7,
  write(request, environment): WrittenSession {
    const baton: readonly Piece[] =
      request.baton.trim() === ''
        ? []
        : [{ kind: 'user', blocks: [{ type: 'text', text: request.baton }], heading: headingOf(request.title) }];
    const fitted = fit(turnsOf(request.messages), request.baton.length);
    const turns = baton.length > 0 ? [baton, ...fitted.turns] : fitted.turns;
    const characters = turns.flat().reduce((size, piece) => size + sizeOf(piece), 0);
    const lines: readonly Line[] = [
      { type: 'session_meta', payload: header(request) },
      ...turns.flatMap((turn, index) => turnLines(index + 1, turn, request.now)),
      // About four characters make a token; without an estimate Codex does not know when to compact.
      tokenEstimate(Math.ceil(characters / 4)),
    ];
    const text = lines.map((line, index) => storable({ timestamp: iso(request.now + index), ...line })).join('\n');
    return {
      path: rolloutPath(request, environment),
      bytes: new TextEncoder().encode(`${text}\n`),
      nativeId: request.nativeId,
      mode: 0o600,
      warnings: fitted.warnings,
    };
  },
};

/** Codex's picker names a session by the first words that its person sees: the thread's title says more than the packet's. */
function headingOf(title: string): string {
  const line = oneLine(title, 80);
  return line === '' ? '' : `${line}\n\n`;
}

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

/** Version 7: 48 bits of time, then random bits. */
function uuidV7(now: number, random: Uint8Array): string {
  const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, '0').slice(-12);
  const bytes = Array.from(random.subarray(0, 10), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const rest = bytes.padEnd(20, '0');
  const variant = ((Number.parseInt(rest.charAt(4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(1, 4)}-${variant}${rest.slice(5, 8)}-${rest.slice(8, 20)}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
