/**
 * Writes a conversation of the terminal program agy, only when a person asks for it: a database of its own in the form that 1.0.16 and
 * 1.1.16 were seen to go on with, by other programs that write such ones. No agy can be had to try it with here, so that everything that is
 * known of a home has to be as it is known (write/refusal.ts). Pure but for what is looked at; the caller puts the bytes on the disk.
 */
import { createHash } from 'node:crypto';
import type { Databases } from '../contract/container.ts';
import type { Sidecars } from '../contract/read.ts';
import type { Environment, Write, WriteRequest, WrittenSession } from '../contract/shuttle.ts';
import { fit } from '../kit/carried-fit.ts';
import { carriedTurns } from '../kit/carried-turns.ts';
import { tokensOf } from '../kit/tokens.ts';
import { uuidV4 } from '../kit/uuid.ts';
import { isConversationId } from './places.ts';
import { besideOf } from './write/beside.ts';
import { conversationDatabase } from './write/database.ts';
import { filesOf } from './write/files.ts';
import { losses } from './write/losses.ts';
import { nativeCall } from './write/native-call.ts';
import { refusalOf } from './write/refusal.ts';
import { callIds, promptBody, stepsOf, turnBodies } from './write/steps.ts';

/** Tokens of a carried conversation: the smallest window of the models that it offers has 200,000, of which its own instructions take part. */
const windowTokens = 120_000;

export const antigravityWrite: Write = {
  onlyAsked: true,
  append: { absent: 'Antigravity’s conversations are databases of its own, which Loom does not change.' },
  losses,

  /** A version 4 UUID. */
  newNativeId: (_now, random) => uuidV4(random),

  refusal: refusalOf,

  write(request: WriteRequest, environment: Environment, _beside?: Sidecars, databases?: Databases): WrittenSession {
    const { nativeId, now, baton } = request;
    if (!isConversationId(nativeId)) throw new Error('a conversation of Antigravity is named by a UUID');
    if (databases === undefined) throw new Error('a conversation of Antigravity is a database');
    const { turns, leftOut, warnings } = fit(
      carriedTurns(request.messages, nativeCall),
      windowTokens - tokensOf(baton),
      'Antigravity',
    );
    const begins = baton.trim() !== '' || turns[0]?.role === 'user';
    const opening = [baton, leftOutText(leftOut), begins ? '' : noBeginning].filter((text) => text.trim() !== '');
    const callId = callIds();
    const bodies = [
      ...opening.map((text) => promptBody([{ type: 'text', text }])),
      ...turns.flatMap((turn) => turnBodies(turn, callId)),
    ];
    // The newest step is as old as the time of writing.
    const from = now - bodies.length + 1;
    const trajectory = uuidV4(createHash('sha256').update(`${nativeId}/trajectory`).digest());
    const steps = stepsOf(bodies, { conversation: nativeId, trajectory, from });
    return {
      path: filesOf(environment, nativeId).conversation,
      bytes: databases.make(conversationDatabase(nativeId, trajectory, from, steps)),
      form: 'database',
      nativeId,
      mode: 0o600,
      warnings: [notTried, ...warnings],
      beside: besideOf(request, environment, steps, turns),
    };
  },
};

const notTried =
  'Not verified: this conversation of Antigravity is written as other programs were seen to write theirs, and was never tried with agy itself. If it does not open, continue the thread with --prompt.';

/** Models want the person's turn first. */
const noBeginning = '[This conversation was carried over; its beginning is not here.]';

function leftOutText(turns: number): string {
  return turns === 0 ? '' : `[${turns} earlier turns are left out here. The hand-over note above stands for them.]`;
}
