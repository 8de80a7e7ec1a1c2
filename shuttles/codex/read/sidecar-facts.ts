/**
 * What the small files beside the sessions say: `session_index.jsonl` names threads (last line of an id wins), and
 * `external_agent_session_imports.json` says which were imported from which file. The folder of the file says whether the
 * thread is archived. Names are as often given by Codex itself as by a person, so they count as generated.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { filled, objects, oneLine, parseObject, str } from '../../kit/fields.ts';
import { isUuid } from '../rollout-name.ts';

export function sidecarFacts(identity: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  const place = placeOf(path);
  if (place === undefined) return {};
  const title = names(sidecars.text(place.beside('session_index.jsonl')) ?? '').get(identity.nativeId);
  const imported = importOf(identity.nativeId, path, sidecars);
  return {
    archived: place.folder === 'archived_sessions',
    ...(title !== undefined && { generatedTitle: title }),
    ...(imported !== undefined && { importedFrom: imported }),
  };
}

/** The session that Codex made the thread from, as its own list of imports says. */
export function importOf(thread: string, path: string, sidecars: Sidecars): SessionFacts['importedFrom'] {
  const file = placeOf(path)?.beside('external_agent_session_imports.json');
  const record = imports(file === undefined ? '' : (sidecars.text(file) ?? '')).find(
    (one) => str(one, 'imported_thread_id')?.toLowerCase() === thread,
  );
  return record === undefined ? undefined : importedFrom(record);
}

/** Codex's own folder is the one that holds `sessions`. */
function placeOf(path: string): { readonly folder: string; readonly beside: (name: string) => string } | undefined {
  const [, home, separator, folder] = /^(.*)([\\/])(archived_sessions|sessions)[\\/]/.exec(path) ?? [];
  if (home === undefined || separator === undefined || folder === undefined) return undefined;
  return { folder, beside: (name) => `${home}${separator}${name}` };
}

/** The newest texts, parsed: ingest asks once for each session, and the index has a line for each. */
let parsed: { readonly text: string; readonly names: ReadonlyMap<string, string> } = { text: '', names: new Map() };

function names(text: string): ReadonlyMap<string, string> {
  if (parsed.text === text) return parsed.names;
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const record = line.trim() === '' ? undefined : parseObject(line);
    const id = str(record, 'id')?.toLowerCase();
    const name = oneLine(str(record, 'thread_name') ?? '', 200);
    if (id === undefined) continue;
    if (name === '') found.delete(id);
    else found.set(id, name);
  }
  parsed = { text, names: found };
  return found;
}

let parsedImports: { readonly text: string; readonly records: readonly JsonObject[] } = { text: '', records: [] };

function imports(text: string): readonly JsonObject[] {
  if (parsedImports.text !== text) parsedImports = { text, records: objects(parseObject(text), 'records') };
  return parsedImports.records;
}

function importedFrom(record: JsonObject): NonNullable<SessionFacts['importedFrom']> {
  const path = filled(record, 'source_path');
  const file = path?.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) ?? '';
  const id = file.replace(/\.jsonl$/, '');
  const claude = path === undefined || /[\\/]\.claude[\\/]/.test(path);
  return {
    harness: claude ? 'claude' : 'unknown',
    ...(isUuid(id) && { nativeId: id.toLowerCase() }),
    ...(path !== undefined && { path }),
  };
}
