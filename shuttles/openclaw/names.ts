/**
 * Names that OpenClaw gives to its files, sessions and session keys. A transcript is `<session id>.jsonl`, maybe with a topic behind the
 * id; `/new` renamed it to `.jsonl.reset.<time>` in the era of files, cold storage compresses it. What was deleted in the app
 * (`.jsonl.deleted.<time>`), copies before a compaction (`.checkpoint.<id>.jsonl`), traces (`.trajectory.jsonl`) and what a migration
 * left (`.jsonl.imported-<ms>`) are no sessions. Ids from records and names are claims, matched against these forms first.
 */

export const databaseName = 'openclaw-agent.sqlite';

const fileForm =
  /^([A-Za-z0-9][A-Za-z0-9_-]{0,199})\.jsonl(?:\.(reset)\.\d{4}-\d{2}-\d{2}T[0-9-]{8}(?:\.\d{3})?Z(?:\.[A-Za-z0-9]{1,64})?)?(?:\.zst)?$/;
const uuidAtStart = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])/i;

export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(text);
}

export interface SessionFile {
  /** The name in front of `.jsonl`. */
  readonly stem: string;
  /** The session's id as the name tells it. */
  readonly id: string;
  readonly kind: 'live' | 'reset';
}

/** Of a path or name; undefined: no session's file. */
export function sessionFile(path: string): SessionFile | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const [, stem, reset] = fileForm.exec(name) ?? [];
  if (stem === undefined) return undefined;
  return { stem, id: uuidAtStart.exec(stem)?.[0] ?? stem, kind: reset === undefined ? 'live' : 'reset' };
}

/** `<agent>/sessions/<transcript>` or `<agent>/agent/openclaw-agent.sqlite`, below the folder of agents. */
export function isSessionPath(relative: string): boolean {
  const parts = relative.split('/');
  const [agent = '', folder, name = ''] = parts;
  if (parts.length !== 3 || agent === '' || agent === '..' || agent === '.') return false;
  return folder === 'sessions' ? sessionFile(name) !== undefined : folder === 'agent' && name === databaseName;
}

/** `agent:main:cron:<job>`, `hook:<uuid>`, `agent:main:main:heartbeat`: nobody sits at such a session. */
export function isAutomationKey(key: string): boolean {
  return /(?:^|:)(?:cron|hook|heartbeat)(?::|$)/.test(key);
}

export function isSubagentKey(key: string): boolean {
  return /(?:^|:)subagent:/.test(key);
}

export function isEditorKey(key: string): boolean {
  return /(?:^|:)acp(?:-bridge)?:/.test(key);
}
