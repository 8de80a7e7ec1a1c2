/**
 * The header record: what the thread is, where it was held, and what its file continues. A second header names the thread
 * whose records were copied in; it says nothing about this one.
 */
import type { Surface } from '../../contract/harness.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { SessionFacts } from '../../contract/read.ts';
import { asStr, count, field, filled, isoTime, obj, str } from '../../kit/fields.ts';
import { copiesOf, expectCopies, forkTime } from './copied.ts';
import { before } from './keys.ts';
import type { Reading } from './pen.ts';
import type { Line } from './record.ts';
import { change } from './settings.ts';

export function readMeta(reading: Reading, line: Line): void {
  const { state, pen } = reading;
  const meta = line.payload;
  state.metas += 1;
  if (state.metas > 1) {
    if (str(meta, 'id')?.toLowerCase() !== state.thread) copiesOf(state, Number(state.shown['createdAt'] ?? line.at ?? 0));
    return;
  }
  expectCopies(state, meta, line.at);
  const base = obj(meta, 'history_base');
  const basePart = str(base, 'thread_id')?.toLowerCase();
  const end = count(base, 'end_ordinal_exclusive');
  if (basePart !== undefined && end !== undefined) state.jump = before(basePart, end) ?? { key: null, floor: null };
  else if (state.segment) state.jump = { key: null, floor: null };
  state.usage.forked = str(meta, 'forked_from_id') !== undefined || basePart !== undefined;
  state.provider = filled(meta, 'model_provider') ?? null;
  pen.facts(metaFacts(meta, line.at, state.segment, state.child));
  const cwd = filled(meta, 'cwd');
  if (cwd !== undefined) change(reading, 'cwd', cwd);
}

function metaFacts(meta: JsonObject, at: number | null, segment: boolean, child: boolean): SessionFacts {
  const git = obj(meta, 'git');
  const cwd = filled(meta, 'cwd');
  const surface = surfaceOf(meta);
  const created = forkTime(meta, at);
  return {
    surface,
    ...(created > 0 && !segment && { createdAt: created }),
    ...(cwd !== undefined && { cwd, ...(!segment && { startCwd: cwd }) }),
    ...optional('branch', filled(git, 'branch')),
    ...optional('commit', filled(git, 'commit_hash')),
    ...optional('repo', filled(git, 'repository_url')),
    ...optional('programVersion', filled(meta, 'cli_version')),
    ...optional('forkedFrom', child ? undefined : filled(meta, 'forked_from_id')?.toLowerCase()),
    ...((surface === 'sdk' || isSubagent(meta)) && { automation: true }),
    ...(at !== null && isoTime(at) !== null && { updatedAt: at }),
  };
}

/**
 * `originator` names the client, `source` the way in. Several clients share a daemon whose first client names them all
 * (0.171), so `exec` in the source is believed against a terminal's name.
 */
export function surfaceOf(meta: JsonObject): Surface {
  const originator = filled(meta, 'originator')?.toLowerCase();
  const source = asStr(field(meta, 'source'));
  if (originator === 'codex desktop' || originator === 'codex_desktop') return 'desktop';
  if (originator === 'codex_vscode') return 'editor';
  if (originator?.startsWith('codex_sdk')) return 'sdk';
  if (source === 'exec' || originator === 'codex_exec') return 'headless';
  if (originator === 'codex-tui' || originator === 'codex_cli_rs' || source === 'cli') return 'cli';
  if (source === 'mcp' || originator?.includes('sdk')) return 'sdk';
  return originator === undefined && source === undefined ? 'cli' : 'unknown';
}

/** Held by the program itself: sub-agents, reviews, compactions of their own thread. */
export function isSubagent(meta: JsonObject): boolean {
  const source = field(meta, 'source');
  const named = obj(meta, 'source');
  return source === 'subagent' || field(named, 'subagent') !== undefined || str(meta, 'thread_source') === 'subagent';
}

function optional<K extends keyof SessionFacts>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<K, string>>);
}
