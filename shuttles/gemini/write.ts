/**
 * Writes a session of Gemini CLI from a derived context and a baton: the form that 0.39 to 0.61 resume by its id, with every turn, as often
 * as wanted. Its file's name ends in the whole id: the program removes files by the eight signs that its own names end in, also those of
 * sessions that it has just resumed. Pure but for what is read beside; the caller puts the bytes on the disk.
 */
import { posix, win32 } from 'node:path';
import type { Sidecars } from '../contract/read.ts';
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { fit } from '../kit/carried-fit.ts';
import { carriedTurns } from '../kit/carried-turns.ts';
import { oneLine } from '../kit/fields.ts';
import { tokensOf } from '../kit/tokens.ts';
import { uuidV4 } from '../kit/uuid.ts';
import { geminiAppend } from './write/append.ts';
import { callIds, lineOf, messageId } from './write/line.ts';
import { losses } from './write/losses.ts';
import { nativeCall } from './write/native-call.ts';
import { projectFolder, projectHash } from './write/project.ts';
import { batonRow, turnRows, type Row } from './write/rows.ts';
import { program, turnsLeftOut, windowTokens } from './write/window.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const geminiWrite: Write = {
  append: geminiAppend,
  losses,

  /** A version 4 UUID. */
  newNativeId: (_now, random) => uuidV4(random),

  write(request: WriteRequest, environment: Environment, beside?: Sidecars): WrittenSession {
    const { nativeId, cwd, now, baton } = request;
    if (!uuid.test(nativeId)) throw new Error('a Gemini CLI session is named by a UUID');
    const carried = carriedTurns(request.messages, (name, input) => nativeCall(name, input, cwd));
    const { turns, leftOut, warnings } = fit(carried, windowTokens - tokensOf(baton), program);
    const opening = [baton, turnsLeftOut(leftOut)].filter((text) => text.trim() !== '');
    const callId = callIds();
    const rows: readonly Row[] = [
      ...(opening.length > 0 ? [batonRow(opening)] : []),
      ...turns.flatMap((turn) => turnRows(turn, callId)),
    ];
    // The newest message is as old as the time of writing.
    const from = now - rows.length + 1;
    const summary = oneLine(request.title, 200);
    const header = {
      sessionId: nativeId,
      projectHash: projectHash(cwd),
      startTime: new Date(from).toISOString(),
      lastUpdated: new Date(now).toISOString(),
      kind: 'main',
      ...(summary === '' ? {} : { summary }),
    };
    const lines = rows.map((row, index) =>
      lineOf({ id: messageId(nativeId, index), timestamp: new Date(from + index).toISOString(), ...row }),
    );
    const paths = environment.platform === 'win32' ? win32 : posix;
    const name = `session-${header.startTime.slice(0, 16).replaceAll(':', '-')}-loom-${nativeId}.jsonl`;
    return {
      path: paths.join(projectFolder(cwd, environment, beside), 'chats', name),
      bytes: Buffer.from(lineOf(header) + lines.join(''), 'utf8'),
      nativeId,
      mode: 0o600,
      warnings,
    };
  },
};
