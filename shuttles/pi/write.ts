/**
 * Writes a pi session (version 3) from a derived context and a baton: one line of records behind the header, Loom's mark and the
 * thread's name in front of the talk. Pure: the same request gives the same bytes; the caller puts them on the disk. pi 0.73.1 and 1.6.0
 * were seen to send all of it to their models and to go on in the same file.
 */
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { fit } from '../kit/carried-fit.ts';
import { carriedTurns, type CarriedTurn } from '../kit/carried-turns.ts';
import { oneLine } from '../kit/fields.ts';
import { tokensOf } from '../kit/tokens.ts';
import { uuidV7 } from '../kit/uuid.ts';
import { sessionPath } from './folders.ts';
import { isSessionId } from './session-name.ts';
import { piAppend } from './write/append.ts';
import { batonBody, turnBodies, type Body } from './write/entries.ts';
import { callIds, lineOf, linesOf } from './write/line.ts';
import { losses } from './write/losses.ts';
import { nativeCall } from './write/native-call.ts';
import { originBody, program, turnsLeftOut, windowTokens } from './write/origin.ts';

export const piWrite: Write = {
  newNativeId: uuidV7,
  append: piAppend,
  losses,
  write(request: WriteRequest, environment: Environment): WrittenSession {
    const { nativeId, cwd, now, baton } = request;
    if (!isSessionId(nativeId)) throw new Error('a pi session is named by letters, digits, dots and dashes');
    const carried = carriedTurns(request.messages, (name, input) => nativeCall(name, input, cwd));
    const { turns, leftOut, warnings } = fit(carried, windowTokens - tokensOf(baton), program);
    const answered = turns.some((turn) => turn.role === 'assistant');
    const begins = baton.trim() !== '' || (answered && turns[0]?.role === 'user');
    const opening = [baton, turnsLeftOut(leftOut), begins ? '' : noBeginning].filter((text) => text.trim() !== '');
    const callId = callIds(new Set());
    const bodies: readonly Body[] = [
      ...named(request.title),
      originBody(now),
      ...(opening.length === 0 ? [] : [batonBody(opening)]),
      ...(answered ? [] : turnBodies(acknowledgement, callId)),
      ...turns.flatMap((turn) => turnBodies(turn, callId)),
    ];
    // The newest record is as old as the time of writing.
    const from = now - bodies.length + 1;
    const header = { type: 'session', version: 3, id: nativeId, timestamp: new Date(from).toISOString(), cwd };
    const text = lineOf(header) + linesOf(bodies, { seed: nativeId, parent: null, taken: new Set(), knowsAll: true, from });
    return {
      path: sessionPath(environment, cwd, new Date(from), nativeId),
      bytes: Buffer.from(text, 'utf8'),
      nativeId,
      mode: 0o600,
      warnings,
    };
  },
};

/** Models want the person's turn first. */
const noBeginning = '[This conversation was carried over; its beginning is not here.]';

/** A file without any answer is taken by 0.73 for one that is not written yet: it would write all of it a second time, behind the first. */
const acknowledgement: CarriedTurn = { role: 'assistant', parts: [{ kind: 'text', text: 'I have read the hand-over note.' }] };

/** The name that pi's picker shows. */
function named(title: string): readonly Body[] {
  const name = oneLine(title, 200);
  return name === '' ? [] : [{ type: 'session_info', name }];
}
