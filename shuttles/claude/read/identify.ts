/**
 * Which session a file belongs to. The file's name is the session's id (an inner `sessionId` may be another one, or no id at
 * all); a subagent's file is named by the agent, and its parent is found by the folder, in the flat layout of 2.0 by the
 * records. Ids that have not an id's form are not believed.
 */
import type { NativeRecord, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { filled, obj, parseObject, str } from '../../kit/fields.ts';
import { fileName, isUuid } from '../names.ts';
import { cut } from './state.ts';

export function identify(path: string, head: readonly NativeRecord[], sidecars: Sidecars): SourceIdentity | undefined {
  if (head.length === 0) return undefined;
  const name = fileName(belowProjects(path) ?? '');
  if (name === undefined) return undefined;
  if (name.kind === 'session') return { nativeId: name.session, part: name.session, needs: originals(head, name.session) };
  const meta = parseObject(sidecars.text(path.replace(/\.jsonl$/, '.meta.json')) ?? '');
  const parent = name.session ?? parentIn(head);
  if (parent === undefined) return { nativeId: name.agent, part: name.agent, needs: [] };
  const callId = filled(meta, 'toolUseId');
  const title = filled(meta, 'description');
  return {
    nativeId: name.agent,
    part: name.agent,
    childOf: {
      nativeId: parent,
      ...(callId === undefined ? {} : { callId: cut(callId, 200) }),
      ...(title === undefined ? {} : { title: cut(title, 200) }),
    },
    needs: [parent],
  };
}

/**
 * The sessions that the first records were copied from: `/branch` marks each row, `--fork-session` leaves a trace in the
 * answers only (2.1.332). They are read first, so that the copied rows are theirs.
 */
function originals(head: readonly NativeRecord[], own: string): readonly string[] {
  const found = new Set<string>();
  for (const record of head) {
    const id = record.ok
      ? (str(obj(record.value, 'forkedFrom'), 'sessionId') ?? str(record.value, 'requestSessionId'))
      : undefined;
    if (id !== undefined && isUuid(id) && id !== own) found.add(id);
  }
  return [...found].slice(0, 8);
}

/** The path below the innermost `projects` folder whose layout fits, with `/` between its parts. */
function belowProjects(path: string): string | undefined {
  const parts = path.replaceAll('\\', '/').split('/');
  for (let i = parts.length - 2; i >= 0; i--) {
    if (parts[i] !== 'projects') continue;
    const below = parts.slice(i + 1).join('/');
    if (fileName(below) !== undefined) return below;
  }
  return undefined;
}

function parentIn(head: readonly NativeRecord[]): string | undefined {
  for (const record of head) {
    const id = record.ok ? str(record.value, 'sessionId') : undefined;
    if (id !== undefined && isUuid(id)) return id;
  }
  return undefined;
}
