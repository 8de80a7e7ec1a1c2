/**
 * Goes on with a session of Gemini CLI: lines for the very end of its file, which tell what came since it was left. Nothing that is there
 * changes. Where the program would give its model a result twice, or a call without one, the history stands once more in front as it is
 * to be taken (`$set.messages`, which the program writes itself with every resume); that line is marked, and tells Loom nothing new.
 */
import type { Append, AppendedSession, AppendRequest } from '../../contract/shuttle.ts';
import { fit } from '../../kit/carried-fit.ts';
import { carriedTurns } from '../../kit/carried-turns.ts';
import { tokensOf } from '../../kit/tokens.ts';
import { existingSession } from './existing.ts';
import { callIds, lineOf, messageId } from './line.ts';
import { nativeCall } from './native-call.ts';
import { paired } from './pairing.ts';
import { batonRow, turnRows, type Row } from './rows.ts';
import { program, turnsLeftOut, windowTokens } from './window.ts';

export const geminiAppend: Append = {
  append(request: AppendRequest): AppendedSession {
    const { existing, baton, cwd, now } = request;
    const session = existingSession(existing);
    if (typeof session === 'string') return { ok: false, refusal: session };
    const carried = carriedTurns(request.messages, (name, input) => nativeCall(name, input, cwd));
    const { turns, leftOut, warnings } = fit(carried, roomBeside(request) - tokensOf(baton), program);
    const opening = [baton, turnsLeftOut(leftOut)].filter((text) => text.trim() !== '');
    const seed = `${existing.nativeId}/${existing.size}`;
    // Ids of calls that are there already cannot end like that.
    const callId = callIds(`-${messageId(seed, -1).slice(0, 8)}`);
    const rows: readonly Row[] = [
      ...(opening.length > 0 ? [batonRow(opening)] : []),
      ...turns.flatMap((turn) => turnRows(turn, callId)),
    ];
    const from = Math.max(now - rows.length + 1, session.lastAt + 1);
    const repaired = session.rewritten || isRewriting(request.programVersion) ? paired(session.messages) : undefined;
    const lines = [
      ...(repaired === undefined ? [] : [lineOf({ $set: { messages: repaired }, loom: { kind: 'paired' } })]),
      ...rows.map((row, index) =>
        lineOf({ id: messageId(seed, index), timestamp: new Date(from + index).toISOString(), ...row }),
      ),
      lineOf({ $set: { lastUpdated: new Date(Math.max(now, from + rows.length - 1)).toISOString() } }),
    ];
    return { ok: true, bytes: Buffer.from(lines.join(''), 'utf8'), warnings };
  },
};

/** 0.47 and 0.61 were seen to put a history in the place of another; 0.42 would stay with it for ever. */
function isRewriting(version = ''): boolean {
  const [, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  return Number(major) > 0 || Number(minor) >= 47;
}

/** What is there already takes its part of the window; the program itself compresses a session that has grown too long. */
function roomBeside({ existing }: AppendRequest): number {
  return Math.max(windowTokens / 4, windowTokens - existing.size / 4);
}
