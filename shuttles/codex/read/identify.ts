/**
 * Whose file this is, from its first record and its name. The first header decides: a fork's second one is its parent's
 * (seen in 0.128 and 0.171). Files of another kind have neither a header nor a uuid in their name.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { at, filled, obj, str } from '../../kit/fields.ts';
import { isUuid, rolloutName } from '../rollout-name.ts';
import { toLine } from './record.ts';
import { isSubagent } from './session-meta.ts';
import { importOf } from './sidecar-facts.ts';

export function identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined {
  const headers = head
    .filter((record) => record.ok)
    .map((record) => toLine(record.value))
    .filter((line) => line.type === 'session_meta')
    .map((line) => line.payload);
  const name = rolloutName(path);
  const meta = headers[0];
  const nativeId = idOf(meta) ?? name.thread;
  if (nativeId === undefined) return undefined;
  const part = name.thread === nativeId && name.segment !== undefined ? name.segment : nativeId;
  const parent = meta === undefined ? undefined : parentOf(meta, nativeId);
  const importedFrom = importOf(nativeId, path, sidecars);
  const origin = importedFrom?.nativeId;
  const needs = [part === nativeId ? undefined : nativeId, ...bases(meta), parent, ...headers.slice(1, 2).map(idOf), origin];
  return {
    nativeId,
    part,
    ...(parent !== undefined && { childOf: { nativeId: parent, ...title(meta) } }),
    ...(importedFrom !== undefined && { facts: { importedFrom } }),
    needs: [...new Set(needs.filter((id) => id !== undefined && id !== part))] as string[],
  };
}

function bases(meta: JsonObject | undefined): readonly (string | undefined)[] {
  return [str(obj(meta, 'history_base'), 'thread_id')?.toLowerCase(), filled(meta, 'forked_from_id')?.toLowerCase()];
}

/** Sub-agents name their parent; a review of an older version only names the root of its tree as `session_id`. */
function parentOf(meta: JsonObject, own: string): string | undefined {
  if (!isSubagent(meta) && filled(meta, 'parent_thread_id') === undefined) return undefined;
  const spawn = at(meta, 'source', 'subagent', 'thread_spawn', 'parent_thread_id');
  const named = [filled(meta, 'parent_thread_id'), typeof spawn === 'string' ? spawn : undefined, filled(meta, 'session_id')];
  return named.find((id) => id !== undefined && id.toLowerCase() !== own)?.toLowerCase();
}

function title(meta: JsonObject | undefined): { readonly title?: string } {
  const spawn = obj(obj(obj(meta, 'source'), 'subagent'), 'thread_spawn');
  const kind = str(obj(meta, 'source'), 'subagent');
  const named =
    filled(meta, 'agent_path') ??
    filled(spawn, 'agent_path') ??
    filled(meta, 'agent_nickname') ??
    filled(spawn, 'agent_nickname') ??
    kind;
  return named === undefined ? {} : { title: named };
}

function idOf(meta: JsonObject | undefined): string | undefined {
  const id = str(meta, 'id') ?? str(meta, 'session_id');
  return id !== undefined && isUuid(id) ? id.toLowerCase() : undefined;
}
