/**
 * Whose file it is. The header says it, wherever near the top it stands (omp puts a title in front of it); a file that lost its header
 * is told by its name, when that has pi's form, and by records that are pi's. No path that a record names is ever opened: of a parent
 * only the file's name counts, and a file of that name is looked for beside this one.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { filled, parseObject, str } from '../../kit/fields.ts';
import { isSessionId, projectFolder, sessionFile } from '../session-name.ts';
import { parentPath } from './session-facts.ts';

export function identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined {
  if (!path.endsWith('.jsonl')) return undefined;
  const file = sessionFile(path);
  const header = head.flatMap((record) => (record.ok ? [record.value] : [])).find(isHeader);
  const claimed = filled(header, 'id');
  const nativeId = claimed !== undefined && isSessionId(claimed) ? claimed : (file.id ?? orphan(header, file.stem));
  if (nativeId === undefined || (header === undefined && !head.some(isOurs))) return undefined;
  const part = file.stem.endsWith(nativeId) || file.stem === '' ? nativeId : file.stem;
  const parent = parentOf(path, header, sidecars);
  const forkedFrom = parent?.id === nativeId ? undefined : parent?.id;
  const cwd = header === undefined || filled(header, 'cwd') === undefined ? neighboursFolder(path, sidecars) : undefined;
  const facts: SessionFacts = {
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(cwd === undefined ? {} : { startCwd: cwd, cwd }),
  };
  return {
    nativeId,
    part,
    needs: [forkedFrom, parent?.stem].filter((name) => name !== undefined && name !== part && name !== file.stem) as string[],
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  };
}

function isHeader(value: JsonObject): boolean {
  return value['type'] === 'session' && (typeof value['id'] === 'string' || typeof value['cwd'] === 'string');
}

/** A header whose id cannot be an id: the file is known by its own name, if that can be one. */
function orphan(header: JsonObject | undefined, stem: string): string | undefined {
  return header !== undefined && isSessionId(stem) ? stem : undefined;
}

const types: ReadonlySet<string> = new Set([
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'session_info',
]);

function isOurs(record: NativeRecord): boolean {
  return record.ok && types.has(str(record.value, 'type') ?? '');
}

/** omp writes an id as well as a path. */
function parentOf(
  path: string,
  header: JsonObject | undefined,
  sidecars: Sidecars,
): { readonly id: string | undefined; readonly stem: string | undefined } | undefined {
  const named = parentPath(header);
  if (named === undefined) return undefined;
  if (!/[\\/]/.test(named) && !named.endsWith('.jsonl')) return { id: isSessionId(named) ? named : undefined, stem: undefined };
  const { folder, stem, id } = sessionFile(named);
  if (!isSessionId(stem)) return undefined;
  return { id: id ?? headerId(path, folder, stem, sidecars), stem };
}

/** A parent whose name tells no id is asked itself, in this file's folder or in the one beside it that has the parent's name. */
function headerId(path: string, folder: string, stem: string, sidecars: Sidecars): string | undefined {
  const slash = path.includes('\\') ? '\\' : '/';
  const here = path.slice(0, path.lastIndexOf(slash));
  const above = here.slice(0, here.lastIndexOf(slash));
  const beside = sidecars.list(above).includes(folder) ? [`${above}${slash}${folder}`] : [];
  for (const place of [here, ...beside]) {
    const id = filled(headerIn(sidecars.text(`${place}${slash}${stem}.jsonl`)), 'id');
    if (id !== undefined && isSessionId(id)) return id;
  }
  return undefined;
}

function headerIn(text: string | undefined): JsonObject | undefined {
  for (const line of text?.split('\n', 4) ?? []) {
    const value = parseObject(line);
    if (value !== undefined && isHeader(value)) return value;
  }
  return undefined;
}

/**
 * The folder that the others in this project's folder were held in, when they agree: the name itself cannot be decoded, since
 * `a-b` and `a/b` share one.
 */
function neighboursFolder(path: string, sidecars: Sidecars): string | undefined {
  const slash = path.includes('\\') ? '\\' : '/';
  const folder = path.slice(0, path.lastIndexOf(slash));
  const own = sessionFile(path);
  const found = new Set<string>();
  let asked = 0;
  for (const name of sidecars.list(folder).toSorted()) {
    if (!name.endsWith('.jsonl') || name === `${own.stem}.jsonl`) continue;
    if (++asked > 16) break;
    const cwd = filled(headerIn(sidecars.text(`${folder}${slash}${name}`)), 'cwd');
    if (cwd !== undefined && projectFolder(cwd) === own.folder) found.add(cwd);
  }
  return found.size === 1 ? [...found][0] : undefined;
}
