/**
 * Whose records they are. Rows of the database are told by the record in front of them, files by their header, or by their name when the
 * header is damaged. The list `sessions.json` beside a file is never asked where a transcript lies, since it also names files that were
 * never written: only what it says of this one counts.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { filled, obj, str } from '../../kit/fields.ts';
import { isSessionId, sessionFile } from '../names.ts';
import { entryFacts, sessionList, type Listed, type SessionList } from '../session-entry.ts';
import { sessionRecordType } from '../store/session-record.ts';
import { originOf, toldFacts } from './told.ts';

export function identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined {
  const values = head.flatMap((record) => (record.ok ? [record.value] : []));
  const told = values.find(({ type }) => type === sessionRecordType);
  return told === undefined ? fileIdentity(path, values, sidecars) : rowsIdentity(told);
}

function rowsIdentity(told: JsonObject): SourceIdentity | undefined {
  const nativeId = str(told, 'sessionId');
  if (nativeId === undefined || !isSessionId(nativeId)) return undefined;
  const parent = parentId(filled(told, 'parent'), nativeId);
  const origin = originOf(told);
  const title = filled(obj(told, 'entry'), 'label') ?? filled(obj(told, 'entry'), 'displayName');
  return {
    nativeId,
    part: `${nativeId}#rows`,
    ...childOf(parent, title),
    needs: [parent, origin].filter((id) => id !== undefined),
    facts: toldFacts(told),
  };
}

function fileIdentity(path: string, values: readonly JsonObject[], sidecars: Sidecars): SourceIdentity | undefined {
  const file = sessionFile(path);
  if (file === undefined) return undefined;
  const header = values.find((value) => value['type'] === 'session');
  if (header === undefined && !values.some(isOurs)) return undefined;
  const claimed = filled(header, 'id');
  const nativeId = claimed !== undefined && isSessionId(claimed) ? claimed : file.id;
  const listed = listBeside(path, sidecars).get(nativeId);
  const parent = parentId(listed?.parent, nativeId);
  const title = filled(listed?.entry, 'label') ?? filled(listed?.entry, 'displayName');
  return {
    nativeId,
    part: file.kind === 'live' && file.stem === nativeId ? nativeId : `${file.stem}.${file.kind}`,
    ...childOf(parent, title),
    needs: parent === undefined ? [] : [parent],
    facts: listedFacts(path, listed),
  };
}

/** Facts of the list, asked for again whenever more is read. */
export function sidecarFacts(identity: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  const file = sessionFile(path);
  return file === undefined ? {} : listedFacts(path, listBeside(path, sidecars).get(identity.nativeId));
}

function listedFacts(path: string, listed: Listed | undefined): SessionFacts {
  return {
    ...(listed === undefined ? {} : entryFacts(listed.key, listed.entry)),
    ...(sessionFile(path)?.kind === 'reset' ? { archived: true } : {}),
  };
}

function listBeside(path: string, sidecars: Sidecars): SessionList {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return sessionList(sidecars.text(`${path.slice(0, end)}sessions.json`));
}

function parentId(id: string | undefined, own: string): string | undefined {
  return id !== undefined && isSessionId(id) && id !== own ? id : undefined;
}

function childOf(nativeId: string | undefined, title: string | undefined): Pick<SourceIdentity, 'childOf'> {
  return nativeId === undefined ? {} : { childOf: { nativeId, ...(title === undefined ? {} : { title }) } };
}

const types: ReadonlySet<string> = new Set([
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'custom',
  'custom_message',
  'reset',
]);

function isOurs(value: JsonObject): boolean {
  return types.has(str(value, 'type') ?? '');
}
