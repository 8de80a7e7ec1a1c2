/**
 * Goes on with a rollout of Codex: whole turns behind its last line, in the form that the file has (legacy, or paginated with ordinals that
 * go on), later than all before. Nothing before them changes. Whether anybody holds the thread's writer lock is the caller's to know.
 * Pure.
 */
import type { Append, AppendedSession, AppendRequest, Environment } from '../contract/shuttle.ts';
import { createHash } from 'node:crypto';
import { codexHome, joining } from './find.ts';
import { rolloutName } from './rollout-name.ts';
import { carriedLines } from './write/carried-lines.ts';
import { storable } from './write/lines.ts';
import { rolloutEnd } from './write/rollout-end.ts';
import { windowRoom } from './write/size.ts';

/** What a delta gets even when the session is nearly full: Codex compacts it then. */
const leastRoom = 40_000;

export const codexAppend: Append = {
  append(request: AppendRequest, environment: Environment): AppendedSession {
    const { existing } = request;
    const misplaced = placeProblem(existing, environment);
    if (misplaced !== undefined) return { ok: false, refusal: misplaced };
    const found = rolloutEnd(existing);
    if (!found.ok) return found;
    const { end } = found;
    const at = Math.max(request.now, end.newest + 1);
    const salt = createHash('sha256').update(`${existing.nativeId}/${existing.size}/${request.now}`).digest('hex').slice(0, 8);
    const { lines, warnings } = carriedLines(
      request,
      { mode: end.mode, thread: existing.nativeId, at },
      {
        room: Math.max(leastRoom, windowRoom - end.tokens),
        salt,
        tokens: end.tokens,
        ...(end.info !== undefined && { info: end.info }),
      },
    );
    if (lines.length === 0) return { ok: false, refusal: 'There is nothing to put into the session.' };
    const text = lines.map((line, index) => {
      const timestamp = new Date(at + index).toISOString();
      return `${storable(end.mode === 'legacy' ? { timestamp, ...line } : { timestamp, ordinal: end.ordinal + 1 + index, ...line })}\n`;
    });
    return { ok: true, bytes: new TextEncoder().encode(text.join('')), warnings };
  },
};

/** Only a file that `codex resume` finds by the thread's id and appends to as it is. */
function placeProblem({ path, nativeId }: AppendRequest['existing'], environment: Environment): string | undefined {
  const sessions = joining(environment)(codexHome(environment), 'sessions', '');
  if (path.endsWith('.zst'))
    return 'Codex has compressed this session: it unpacks it when it is resumed there, and only then Loom can go on in it.';
  if (!path.startsWith(sessions))
    return 'The session is not among Codex’s current ones (an archived one comes back with `codex unarchive`), so Loom does not go on in it.';
  if (rolloutName(path).thread !== nativeId.toLowerCase())
    return 'The file’s name is not that of this session, so Loom does not go on in it.';
  return undefined;
}
