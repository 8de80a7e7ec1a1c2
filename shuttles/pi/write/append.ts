/**
 * Goes on with a session of pi: bytes for the very end of its file, which tell what came since it was left. They stand behind the last
 * record, which is where pi goes on itself; nothing that is there changes. At the end the person's model is named again, so that pi does
 * not look for Loom's. Nobody may have the session open meanwhile (the caller's business): a live pi would never see these records.
 */
import type { Append, AppendedSession, AppendRequest } from '../../contract/shuttle.ts';
import { fit } from '../../kit/carried-fit.ts';
import { carriedTurns } from '../../kit/carried-turns.ts';
import { tokensOf } from '../../kit/tokens.ts';
import { batonBody, turnBodies, type Body } from './entries.ts';
import { existingSession } from './existing.ts';
import { callIds, linesOf } from './line.ts';
import { nativeCall } from './native-call.ts';
import { originBody, program, turnsLeftOut, windowTokens } from './origin.ts';

export const piAppend: Append = {
  append(request: AppendRequest): AppendedSession {
    const existing = existingSession(request.existing);
    if (typeof existing === 'string') return { ok: false, refusal: existing };
    const { baton, cwd, now } = request;
    const carried = carriedTurns(request.messages, (name, input) => nativeCall(name, input, cwd));
    const { turns, leftOut, warnings } = fit(carried, roomBeside(request) - tokensOf(baton), program);
    const opening = [baton, turnsLeftOut(leftOut)].filter((text) => text.trim() !== '');
    const seed = `${request.existing.nativeId}/${existing.last}`;
    // Calls that are not seen, in the middle of a large file, cannot end like that.
    const callId = callIds(existing.callIds, existing.knowsAll ? '' : `-${existing.last.slice(0, 8).replaceAll(/[^\w-]/g, '_')}`);
    const told = turns.flatMap((turn) => turnBodies(turn, callId));
    const bodies: readonly Body[] = [
      originBody(now),
      ...(opening.length === 0 ? [] : [batonBody(opening)]),
      ...told,
      ...(existing.model !== undefined && told.length > 0 ? [{ type: 'model_change', ...existing.model }] : []),
    ];
    const from = Math.max(now - bodies.length + 1, existing.lastAt + 1);
    const { last: parent, ids: taken, knowsAll } = existing;
    return { ok: true, bytes: Buffer.from(linesOf(bodies, { seed, parent, taken, knowsAll, from }), 'utf8'), warnings };
  },
};

/** What is there already takes its part of the window; pi itself compacts a session that has grown too long. */
function roomBeside({ existing }: AppendRequest): number {
  return Math.max(windowTokens / 4, windowTokens - existing.size / 4);
}
