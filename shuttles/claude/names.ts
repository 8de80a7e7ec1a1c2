/**
 * Names that Claude Code gives to files, folders and records. Ids taken from records or file names are claims: they are
 * matched against these forms before anything is done with them, and none of them can hold a path separator.
 */

/** The form of a session id: `claude --resume` takes only a UUID (any version, either case; seen in 2.0.77 to 2.1.332). */
const uuidForm = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;
/** 7 or 8 hex digits in 2.0.77, 16 and more in 2.1; names such as `agent-compact-…` were seen in between. */
const agentForm = /^[A-Za-z0-9_-]{1,80}$/;

export function isUuid(text: string): boolean {
  return text.length === 36 && uuidForm.test(text);
}

export function isAgentId(text: string): boolean {
  return agentForm.test(text);
}

/** What a path below a `projects` folder names. `session` of a subagent is undefined in the flat layout of 2.0. */
export type FileName =
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'agent'; readonly agent: string; readonly session: string | undefined };

/**
 * Reads `<folder>/<uuid>.jsonl`, `<folder>/agent-<id>.jsonl`, `<folder>/<uuid>/subagents/agent-<id>.jsonl` and
 * `<folder>/<uuid>/subagents/workflows/wf_<…>/agent-<id>.jsonl`, relative to `projects`, with `/` between the parts.
 */
export function fileName(relative: string): FileName | undefined {
  const parts = relative.split('/');
  const name = parts.pop();
  if (name === undefined || !name.endsWith('.jsonl') || parts.length === 0 || parts.includes('') || parts.includes('..'))
    return undefined;
  const stem = name.slice(0, -'.jsonl'.length);
  const [, session, subagents, workflows, run] = parts;
  if (parts.length === 1 && isUuid(stem)) return { kind: 'session', session: stem };
  const agent = stem.startsWith('agent-') ? stem.slice('agent-'.length) : '';
  if (!isAgentId(agent)) return undefined;
  if (parts.length === 1) return { kind: 'agent', agent, session: undefined };
  if (session === undefined || !isUuid(session) || subagents !== 'subagents') return undefined;
  if (parts.length === 3 || (parts.length === 5 && workflows === 'workflows' && run?.startsWith('wf_') === true))
    return { kind: 'agent', agent, session };
  return undefined;
}

/**
 * The folder below `projects` for a working folder: every UTF-16 unit outside [A-Za-z0-9] becomes `-`; over 200 units, the
 * first 200 and a hash of the whole path (checked against 2.1.332). Lossy: it is never decoded. `cwd` must be the real
 * path; whoever writes looks for an existing folder first.
 */
export function projectFolder(cwd: string): string {
  const encoded = cwd.replace(/[^A-Za-z0-9]/g, '-');
  return encoded.length <= 200 ? encoded : `${encoded.slice(0, 200)}-${pathHash(cwd)}`;
}

function pathHash(path: string): string {
  let hash = 0;
  for (let i = 0; i < path.length; i++) hash = ((hash << 5) - hash + path.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

/** The file in which a session's title outlives `/clear`, `/branch` and the session's end (2.1.332): `<session id>/custom-title.json`. */
export function titleFile(path: string): string {
  return path.replace(/\.jsonl$/, `${path.includes('\\') ? '\\' : '/'}custom-title.json`);
}
