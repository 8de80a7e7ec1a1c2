/**
 * Writes a Claude Code session from a derived context and a baton: the form that 2.0.77, 2.1.100 and 2.1.332 were seen to
 * resume with every turn. User first, strictly rising times, unique message ids, no thinking, every call answered in the very
 * next record. Pure: the same request gives the same bytes; the caller puts them on the disk.
 */
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { uuidV4 } from '../kit/uuid.ts';
import { claudeAppend } from './append.ts';
import { below, projectsFolder } from './folders.ts';
import { isUuid, projectFolder } from './names.ts';
import { claudeLosses } from './losses.ts';
import { fit } from './write/fit.ts';
import { beginning, rows } from './write/rows.ts';
import { sendable } from './write/sendable.ts';
import { turnsOf } from './write/turns.ts';

export const claudeWrite: Write = {
  append: claudeAppend,
  losses: claudeLosses,

  /** A version 4 UUID. */
  newNativeId: (_now, random) => uuidV4(random),

  write(request: WriteRequest, environment: Environment): WrittenSession {
    if (!isUuid(request.nativeId)) throw new Error('a Claude Code session is named by a UUID');
    const { turns, warnings } = fit(turnsOf(request.messages, request.cwd), request.baton);
    const title = { type: 'custom-title', customTitle: request.title, sessionId: request.nativeId };
    const text = [...rows(request, turns, beginning(request.nativeId)), title]
      .map((row) => `${JSON.stringify(row, sendable)}\n`)
      .join('');
    return {
      path: below(environment, projectsFolder(environment), projectFolder(request.cwd), `${request.nativeId}.jsonl`),
      bytes: Buffer.from(text, 'utf8'),
      nativeId: request.nativeId,
      mode: 0o600,
      warnings,
    };
  },
};
