/** The pieces of a packet: how each statement is drawn, in which section, and how important it is. See render.ts for the order. */
import type { Baton, FailedStatement, Statement, TurnStatement } from './baton.ts';
import { clipMiddle } from './clean-text.ts';
import { sourceName } from './finish.ts';
import type { Piece, Tier } from './packing.ts';
import { blockQuote, codeSpan, fenced } from './quote.ts';
import { quarterTokens } from './token-estimate.ts';

/** In drawing order. */
export const sectionTitles = {
  goal: 'Goal',
  constraints: "Constraints (the person's words)",
  plan: 'Plan',
  open: 'Open calls (outcome unknown: check before running again)',
  decisions: 'Decisions and findings',
  failed: 'Failed or ruled out',
  world: 'World',
  files: 'Files changed',
  turns: 'Last turns',
  summary: "The harness's own summary",
  pointer: 'Full history',
} as const;
type Section = keyof typeof sectionTitles;

export function tiersOf(baton: Baton): readonly Tier[] {
  const [turns, olderTurns] = turnPieces(baton);
  const ranked = [...baton.failed].map((failed, order) => ({ failed, order })).reverse().sort((a, b) => weight(b.failed) - weight(a.failed));
  const failed = ranked.filter(({ failed: one }) => !one.resolved).map(({ failed: one, order }) => bullet('failed', order, failedText(one), one.entries));
  const mended = ranked.filter(({ failed: one }) => one.resolved).map(({ failed: one, order }) => bullet('failed', order, failedText(one), one.entries));
  const plan = baton.plan.map((item, order) => ({ item, piece: bullet('plan', order, `${boxes[item.status]} ${item.text}`, order === 0 ? item.entries : []) }));
  const next = baton.next.map((statement, order) => bullet('plan', 1000 + order, `Next, in the agent's words: ${statement.text}`, statement.entries));
  const open = plan.filter(({ item }) => item.status !== 'completed').sort((a, b) => Number(b.item.status === 'inProgress') - Number(a.item.status === 'inProgress'));
  const decisions = baton.decisions.map((decision, order) => ({ decision, piece: bullet('decisions', order, `${decision.by === 'person' ? 'Person: ' : ''}${decision.text}`, decision.entries) }));
  return [
    { share: 0.2, pieces: goalPieces(baton) },
    { share: 0.14, pieces: baton.constraints.map((statement, order) => bullet('constraints', order, statement.text, statement.entries)) },
    { share: 0.05, pieces: baton.open.map((statement, order) => bullet('open', order, statement.text, statement.entries)).reverse() },
    { share: 0.12, pieces: [...open.map(({ piece }) => piece), ...next] },
    { share: 0.16, pieces: failed },
    { share: 0.08, pieces: baton.world.map((statement, order) => bullet('world', order, statement.text, statement.entries)) },
    { share: 0.12, pieces: decisions.reverse().sort((a, b) => Number(b.decision.by === 'person') - Number(a.decision.by === 'person')).map(({ piece }) => piece) },
    { share: 0.2, pieces: turns },
    { share: 0.06, pieces: baton.files.map((file, order) => bullet('files', order, file.text, file.entries.slice(-1))).reverse() },
    { share: 0, pieces: mended },
    { share: 0, pieces: plan.filter(({ item }) => item.status === 'completed').map(({ piece }) => piece) },
    { share: 0, pieces: olderTurns },
    { share: 0, pieces: baton.summary === null ? [] : [quotation('summary', 0, '', baton.summary)] },
  ];
}

const boxes = { completed: '[x]', inProgress: '[~]', pending: '[ ]' } as const;

/** What the person refused or denied, and work taken back, before what merely broke. */
function weight(failed: FailedStatement): number {
  switch (failed.kind) {
    case 'refused':
    case 'denied':
    case 'reverted':
      return 3;
    case 'command':
    case 'edit':
    case 'said':
      return 2;
    case 'tool':
    case 'api':
    case 'turn':
      return 1;
  }
}
const failedText = (failed: FailedStatement): string => `${failed.text}${failed.times > 1 ? ` (${failed.times} times)` : ''}${failed.resolved ? ' (it went well later)' : ''}`;

function goalPieces(baton: Baton): readonly Piece[] {
  const both = baton.goal.length > 1;
  const pieces = baton.goal.map((goal, order) => quotation('goal', order, `${goal.which === 'newest' ? "The person's newest ask" : both ? "The person's first ask" : "The person's ask"} ${evidenceText(goal.entries)}:\n`, goal));
  return pieces.reverse();
}

/** The newest exchange (from the last prompt on, newest pieces first), and what was before. A prompt that the goal shows is only named. */
function turnPieces(baton: Baton): readonly [readonly Piece[], readonly Piece[]] {
  const shown = new Set(baton.goal.flatMap((goal) => goal.entries));
  const lastPrompt = baton.lastTurns.findLastIndex((turn) => turn.who === 'person');
  const lastAnswer = baton.lastTurns.findLastIndex((turn) => turn.who === 'agent');
  const newest: Piece[] = [];
  const older: Piece[] = [];
  for (let order = baton.lastTurns.length - 1; order >= 0; order--) {
    const turn = baton.lastTurns[order]!;
    const piece = turnPiece(turn, order, turn.who === 'person' && shown.has(turn.entries[0] ?? 0));
    if (order === lastPrompt || order === lastAnswer) newest.push(piece);
    else older.push(piece);
  }
  // Tool output before an answer is worth less than the words: the exchange's words first, then its tools.
  return [[...newest, ...older.filter((piece) => piece.order > lastPrompt)], older.filter((piece) => piece.order < lastPrompt)];
}

function turnPiece(turn: TurnStatement, order: number, named: boolean): Piece {
  const evidence = evidenceText(turn.entries);
  switch (turn.who) {
    case 'person':
      return named ? plain('turns', order, `Person ${evidence}: the ask that is quoted above.\n`) : quotation('turns', order, `Person ${evidence}:\n`, turn);
    case 'agent':
      return quotation('turns', order, `Agent ${evidence}:\n`, turn);
    case 'tool': {
      const source = turn.source ?? '';
      const line = `Tool ${evidence}: ${source === '' ? sourceName(turn.trust) : codeSpan(source)}\n`;
      if (turn.text === '') return plain('turns', order, line);
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

function plain(section: Section, order: number, text: string): Piece {
  const cost = quarterTokens(text);
  return { section, order, fit: (quarters) => (cost <= quarters ? text : null) };
}
function bullet(section: Section, order: number, text: string, entries: readonly number[]): Piece {
  return plain(section, order, `- ${text}${entries.length === 0 ? '' : ` ${evidenceText(entries)}`}\n`);
}

/** Words of the person or the agent behind `> `, shortened in their middle to fit; not to less than 80 characters. */
function quotation(section: Section, order: number, lead: string, statement: Statement): Piece {
  return {
    section,
    order,
    fit: (quarters) => {
      let limit = statement.text.length;
      for (;;) {
        const text = `${lead}${blockQuote(clipMiddle(statement.text, limit))}\n`;
        const cost = quarterTokens(text);
        if (cost <= quarters) return text;
        if (limit <= 80) return null;
        limit = Math.max(80, Math.min(Math.floor(limit * 0.9), Math.floor((limit * quarters) / cost)));
      }
    },
  };
}

function evidenceText(entries: readonly number[]): string {
  const shown = entries.length <= 4 ? entries : [...entries.slice(0, 2), ...entries.slice(-2)];
  return `[${shown.map((id) => `e${id}`).join(',')}]`;
}
