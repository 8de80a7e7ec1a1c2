/**
 * What OpenClaw notes of a session beside its transcript: an entry under its session key, in `sessions.json` of the era of files and in
 * the database since. The same shape in both, with more and other fields in each version.
 */
import type { JsonObject } from '../contract/json.ts';
import type { Surface } from '../contract/harness.ts';
import type { SessionFacts } from '../contract/read.ts';
import { at, asStr, filled, obj, oneLine, parseObject, str, strings } from '../kit/fields.ts';
import { isAutomationKey, isEditorKey, isSubagentKey } from './names.ts';

/** Facts that the entry tells. `external`: the database says that a mail or a webhook began the session. */
export function entryFacts(key: string, entry: JsonObject, external = false): SessionFacts {
  const automation = external || isAutomationKey(key) || createdVia(entry) === 'cron';
  const label = filled(entry, 'label');
  const title = groupTitle(entry);
  return {
    ...(label === undefined ? {} : { customTitle: oneLine(label, 200) }),
    ...(title === undefined ? {} : { generatedTitle: oneLine(title, 200) }),
    ...(automation ? { automation: true } : {}),
    surface: surfaceOf(key, entry, automation),
  };
}

function createdVia(entry: JsonObject): string | undefined {
  return str(entry, 'createdVia');
}

/** A group has a name of its own; a talk between two is named by what was asked first. */
function groupTitle(entry: JsonObject): string | undefined {
  const type = str(entry, 'chatType');
  if (type !== 'group' && type !== 'channel') return undefined;
  return filled(entry, 'subject') ?? filled(entry, 'groupChannel') ?? filled(entry, 'displayName');
}

function surfaceOf(key: string, entry: JsonObject, automation: boolean): Surface {
  if (automation) return 'headless';
  if (isEditorKey(key)) return 'editor';
  return channelOf(entry) === undefined ? 'cli' : 'unknown';
}

/** The chat that the session belongs to: both people there and, on the command line, the operator write into it. */
function channelOf(entry: JsonObject): string | undefined {
  return (
    filled(entry, 'channel') ??
    filled(obj(entry, 'origin'), 'provider') ??
    asStr(at(entry, 'delivery', 'context', 'channel')) ??
    asStr(at(entry, 'deliveryContext', 'channel'))
  );
}

export interface Listed {
  readonly key: string;
  readonly entry: JsonObject;
  /** The session that started this one, when it is a subagent's. */
  readonly parent: string | undefined;
}
export type SessionList = ReadonlyMap<string, Listed>;

/**
 * `sessions.json` by session id; a session that `/new` left is under the key that it had. A list of a few hundred sessions is megabytes
 * long and is asked for with each of them: the newest one is kept, by its text.
 */
export function sessionList(text: string | undefined): SessionList {
  if (text === undefined || text === '') return new Map();
  if (newest?.text !== text) newest = { text, list: listOf(parseObject(text)) };
  return newest.list;
}

let newest: { readonly text: string; readonly list: SessionList } | undefined;

function listOf(sessions: JsonObject | undefined): SessionList {
  const current = new Map<string, Listed>();
  const former = new Map<string, Listed>();
  for (const key of Object.keys(sessions ?? {})) {
    const entry = obj(sessions, key);
    if (entry === undefined) continue;
    const above = isSubagentKey(key) ? (filled(entry, 'spawnedBy') ?? filled(entry, 'parentSessionKey')) : undefined;
    const parent = above === undefined ? undefined : filled(obj(sessions, above), 'sessionId');
    const listed = { key, entry: only(entry), parent };
    const id = str(entry, 'sessionId');
    if (id !== undefined) current.set(id, listed);
    for (const other of strings(entry, 'usageFamilySessionIds')) if (!former.has(other)) former.set(other, listed);
  }
  return new Map([...former, ...current]);
}

const taken = [
  'label',
  'subject',
  'groupChannel',
  'displayName',
  'chatType',
  'channel',
  'origin',
  'delivery',
  'deliveryContext',
  'createdVia',
];

/** Entries hold whole prompts beside what is asked for. */
function only(entry: JsonObject): JsonObject {
  return Object.fromEntries(taken.flatMap((name) => (Object.hasOwn(entry, name) ? [[name, entry[name]]] : [])));
}
