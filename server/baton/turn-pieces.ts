/** The last turns of a packet: the newest exchange, and what was before it. */
import type { Baton, Statement, TurnStatement } from './baton.ts';
import { clipMiddle } from './clean-text.ts';
import { evidenceText, plain, quotation } from './packet-piece.ts';
import type { Piece } from './packing.ts';
import { codeSpan, fenced } from './quote.ts';
import { sourceName } from './source-name.ts';
import { quarterTokens } from './token-estimate.ts';

/** So many newest results are shown with their output; of older ones only those that failed, for what failed is what is asked about. */
const shownOutputs = 3;

/**
 * The newest exchange (the last prompt and answer, then what came since the prompt), and what was before. A prompt that the
 * goal quotes is only named; an older answer that other sections tell whole is left away.
 */
export function turnPieces(baton: Baton): readonly [readonly Piece[], readonly Piece[]] {
  const quoted = new Set(baton.goal.flatMap((goal) => goal.entries));
  const told = [...baton.decisions, ...baton.failed, ...baton.next];
  const lastPrompt = baton.lastTurns.findLastIndex((turn) => turn.who === 'person');
  const lastAnswer = baton.lastTurns.findLastIndex((turn) => turn.who === 'agent');
  const words: Piece[] = [];
  const since: Piece[] = [];
  const older: Piece[] = [];
  let outputs = 0;
  for (let order = baton.lastTurns.length - 1; order >= 0; order--) {
    const turn = baton.lastTurns[order]!;
    if (turn.who === 'agent' && order !== lastAnswer && isTold(turn, told)) continue;
    const output =
      turn.who !== 'tool' ||
      /\((?:exit \d+|failed|interrupted)\)$/.test(turn.source ?? '') ||
      turn.trust === 'chat' ||
      outputs < shownOutputs;
    if (turn.who === 'tool') outputs++;
    const piece = turnPiece(turn, order, turn.who === 'person' && quoted.has(turn.entries[0] ?? 0), output);
    if (order === lastPrompt || order === lastAnswer) words.push(piece);
    else if (order > lastPrompt) since.push(piece);
    else older.push(piece);
  }
  return [[...words, ...since], older];
}

/** Do the statements drawn from this answer hold nearly all of its letters? */
function isTold(turn: TurnStatement, told: readonly Statement[]): boolean {
  let letters = 0;
  const texts = new Set(
    told.filter((statement) => statement.entries.some((id) => turn.entries.includes(id))).map((statement) => statement.text),
  );
  for (const text of texts) letters += text.length;
  return letters > turn.text.length * 0.85;
}

function turnPiece(turn: TurnStatement, order: number, named: boolean, output: boolean): Piece {
  const evidence = evidenceText(turn.entries);
  switch (turn.who) {
    case 'person':
      return named
        ? plain('turns', order, `Person ${evidence}: the ask that is quoted above.\n`)
        : quotation('turns', order, `Person ${evidence}:\n`, turn);
    case 'agent':
      return quotation('turns', order, `Agent ${evidence}:\n`, turn);
    case 'tool': {
      const source = (turn.source ?? '').trim();
      const line =
        turn.trust === 'chat'
          ? `Chat ${evidence}:\n`
          : `Tool ${evidence}: ${source === '' ? sourceName(turn.trust) : codeSpan(source)}\n`;
      if (turn.text === '' || !output) return plain('turns', order, line);
      return {
        section: 'turns',
        order,
        fit: (quarters) => {
          for (const limit of [900, 400, 160]) {
            const text = `${line}${fenced(clipMiddle(turn.text, limit), sourceName(turn.trust))}\n`;
            if (quarterTokens(text) <= quarters) return text;
          }
          return quarterTokens(line) <= quarters ? line : null;
        },
      };
    }
  }
}
