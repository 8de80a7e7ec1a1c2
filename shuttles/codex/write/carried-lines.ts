/**
 * What is carried, as the lines of a rollout: the baton as a turn of its own, the turns that fit behind it, and how much it all is, without
 * which Codex does not know when to compact.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { WriteRequest } from '../../contract/shuttle.ts';
import { oneLine } from '../../kit/fields.ts';
import { batonTurn, writtenTurn } from '../read/written-turn.ts';
import { tokenEstimate, turnLines, type Form, type Line } from './lines.ts';
import { turnsOf, type Piece } from './pieces.ts';
import { fit, sizeOf } from './size.ts';

export interface Behind {
  /** Tokens that may be carried. */
  readonly room: number;
  /** In a file that is gone on with: what makes the names of turns and calls unlike those that it has. */
  readonly salt?: string;
  /** The newest `token_count`'s `info` of that file, and the tokens that it tells of. */
  readonly info?: JsonObject;
  readonly tokens?: number;
}

export function carriedLines(
  request: Omit<WriteRequest, 'nativeId'>,
  form: Form,
  { room, salt = '', info, tokens = 0 }: Behind,
): { readonly lines: readonly Line[]; readonly warnings: readonly string[] } {
  const baton: readonly Piece[] =
    request.baton.trim() === ''
      ? []
      : [{ kind: 'user', blocks: [{ type: 'text', text: request.baton }], heading: salt === '' ? headingOf(request.title) : '' }];
  const suffix = salt === '' ? '' : `-${salt}`;
  const { turns, warnings } = fit(turnsOf(request.messages, suffix), Math.max(0, room - size(baton)));
  const lines = [
    ...(baton.length > 0 ? turnLines(`${batonTurn}${suffix}`, baton, form) : []),
    ...turns.flatMap((turn, index) => turnLines(`${writtenTurn}${salt === '' ? '' : `${salt}-`}${index + 1}`, turn, form)),
  ];
  if (salt !== '' && lines.length === 0) return { lines, warnings };
  return { lines: [...lines, tokenEstimate(tokens + size(baton) + size(turns.flat()), info)], warnings };
}

function size(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/** Codex's picker names a session by the first words that its person sees: the thread's title says more than the packet's. */
function headingOf(title: string): string {
  const line = oneLine(title, 80);
  return line === '' ? '' : `${line}\n\n`;
}
