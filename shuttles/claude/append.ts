/**
 * Goes on with a session of Claude Code: records behind the one where the program itself would go on, of the same session, later than all
 * before, and a `last-prompt` record that names their end, so that an older one does not win. Nothing before them changes. Pure.
 */
import type { Append, AppendedSession, AppendRequest, Environment } from '../contract/shuttle.ts';
import { RecordCutter } from '../kit/records.ts';
import { below, projectsFolder } from './folders.ts';
import { fileName, isUuid, projectFolder } from './names.ts';
import { fit, windowRoom } from './write/fit.ts';
import { leafOf, type Leaf } from './write/leaf.ts';
import { hashed, rows } from './write/rows.ts';
import { sendable } from './write/sendable.ts';
import { turnsOf } from './write/turns.ts';

/** What a delta gets even when the session is nearly full: the program compacts it then. */
const leastRoom = 40_000;
const newline = 10;

export const claudeAppend: Append = {
  append(request: AppendRequest, environment: Environment): AppendedSession {
    const { existing } = request;
    const { nativeId } = existing;
    const misplaced = placeProblem(request, environment);
    if (misplaced !== undefined) return { ok: false, refusal: misplaced };
    if (existing.tail.at(-1) !== newline)
      return {
        ok: false,
        refusal:
          "The session's file ends in the middle of a record, so Loom does not go on in it until Claude Code has done so once.",
      };
    const found = leafOf(newestRecords(existing.tail, existing.size), nativeId);
    if (!found.ok) return found;
    const { leaf } = found;
    const { turns, warnings } = fit(turnsOf(request.messages, request.cwd), request.baton, roomBehind(leaf));
    const salt = `${nativeId.toLowerCase()}/${existing.size}/${request.now}`;
    const tree = rows({ ...request, nativeId }, turns, {
      parent: leaf.uuid,
      after: leaf.newest,
      salt,
      answers: leaf.open,
      suffix: `-${hashed(salt).slice(0, 6)}`,
    });
    const end = tree.at(-1)?.['uuid'];
    if (end === undefined) return { ok: false, refusal: 'There is nothing to put into the session.' };
    const head = { type: 'last-prompt', lastPrompt: lastPrompt(request), leafUuid: end, sessionId: nativeId };
    const text = [...tree, head].map((row) => `${JSON.stringify(row, sendable)}\n`).join('');
    return { ok: true, bytes: Buffer.from(text, 'utf8'), warnings };
  },
};

/** Only a file that `claude --resume` finds by its id; before 2.1.332 it looks into the folder of the working folder alone. */
function placeProblem({ existing, cwd, programVersion }: AppendRequest, environment: Environment): string | undefined {
  const root = below(environment, projectsFolder(environment), '');
  const relative = existing.path.startsWith(root) ? existing.path.slice(root.length).replaceAll('\\', '/') : '';
  const name = fileName(relative.replace(/^\/+/, ''));
  if (!isUuid(existing.nativeId) || name?.kind !== 'session' || name.session.toLowerCase() !== existing.nativeId.toLowerCase())
    return 'The file is not one that Claude Code finds by the session’s id, so Loom does not go on in it.';
  const folder = relative.replace(/^\/+/, '').split('/')[0];
  if (folder !== projectFolder(cwd) && olderThanAnyFolder(programVersion))
    return `This version of Claude Code finds the session only from the folder that it began in, and the thread is in ${cwd} now.`;
  return undefined;
}

/** Seen: 2.1.100 does not look into other folders, 2.1.332 does. Unknown versions are taken for new ones. */
function olderThanAnyFolder(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(version ?? '')?.slice(1) ?? ['9', '0', '0']).map(Number);
  return major < 2 || (major === 2 && (minor < 1 || (minor === 1 && patch <= 100)));
}

/** The whole lines of the file's newest part. */
function newestRecords(tail: Uint8Array, size: number): ReturnType<RecordCutter['feed']> {
  const from = tail.byteLength >= size ? 0 : tail.indexOf(newline) + 1;
  return new RecordCutter(0).feed(tail.subarray(from));
}

function roomBehind({ tokens }: Leaf): number {
  return Math.max(leastRoom, windowRoom - tokens);
}

/** What the program's list of sessions may show of it: the newest prompt, else what the thread is called. */
function lastPrompt({ messages, title }: AppendRequest): string {
  const prompt = messages.findLast((message) => message.role === 'user');
  const words = prompt?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ') ?? '';
  return (words.trim() || title).replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed();
}
