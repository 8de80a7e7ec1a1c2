/** The pieces of a packet: how each statement is drawn, in which section, and how important it is. See render.ts for the order. */
import type { Baton, DecisionStatement, FailedStatement, GoalStatement, Statement } from './baton.ts';
import { bullet, evidenceText, quotation } from './packet-piece.ts';
import type { Piece, Tier } from './packing.ts';
import { codeSpan } from './quote.ts';
import { turnPieces } from './turn-pieces.ts';

export function tiersOf(baton: Baton): readonly Tier[] {
  const [turns, olderTurns] = turnPieces(baton);
  const ranked = [...baton.failed]
    .map((failed, order) => ({ failed, order }))
    .toReversed()
    .toSorted((a, b) => weight(b.failed) - weight(a.failed));
  const failed = ranked
    .filter(({ failed: one }) => !one.resolved)
    .map(({ failed: one, order }) => bullet('failed', order, failedText(one), one.entries));
  const mended = ranked
    .filter(({ failed: one }) => one.resolved)
    .map(({ failed: one, order }) => bullet('failed', order, failedText(one), one.entries));
  const plan = baton.plan.map((item, order) => ({
    item,
    piece: bullet('plan', order, `${boxes[item.status]} ${item.text}`, item.entries),
  }));
  const next = baton.next.map((statement, order) =>
    bullet('plan', 1000 + order, `Next, in the agent's words: ${statement.text}`, statement.entries),
  );
  const open = plan
    .filter(({ item }) => item.status !== 'completed')
    .toSorted((a, b) => Number(b.item.status === 'inProgress') - Number(a.item.status === 'inProgress'));
  const decisions = baton.decisions.map((decision, order) => ({
    decision,
    piece: bullet('decisions', order, decisionText(decision), decision.entries),
  }));
  const weighed = decisions.toReversed().toSorted((a, b) => decisionWeight(b.decision) - decisionWeight(a.decision));
  const files = baton.files.map((file, order) => bullet('files', order, file.text, file.entries.slice(-1))).toReversed();
  const quoted = new Set(baton.goal.flatMap((goal) => goal.entries));
  const questions = baton.questions
    .map((question, order) => ({
      question,
      piece: bullet(
        'questions',
        order,
        `${question.by === 'agent' ? 'The agent asked' : 'The person asked'}: ${question.text}`,
        question.entries,
      ),
    }))
    // What the goal quotes need not be told twice.
    .filter(({ question }) => question.by === 'agent' || !question.entries.some((id) => quoted.has(id)))
    .map(({ piece }) => piece);
  return [
    { share: 0.18, pieces: goalPieces(baton) },
    {
      share: 0.14,
      pieces: baton.constraints
        .map((statement, order) => ({ statement, piece: bullet('constraints', order, statement.text, statement.entries) }))
        .toSorted((a, b) => b.statement.weight - a.statement.weight)
        .map(({ piece }) => piece),
    },
    { share: 0.05, pieces: questions.toReversed() },
    {
      share: 0.04,
      pieces: baton.open.map((statement, order) => bullet('open', order, statement.text, statement.entries)).toReversed(),
    },
    { share: 0.1, pieces: [...open.map(({ piece }) => piece), ...next] },
    { share: 0.15, pieces: failed },
    { share: 0.08, pieces: baton.world.map((statement, order) => bullet('world', order, statement.text, statement.entries)) },
    { share: 0.12, pieces: weighed.filter(({ decision }) => decisionWeight(decision) > 0).map(({ piece }) => piece) },
    { share: 0.1, pieces: turns },
    { share: 0.04, pieces: files.slice(0, newestFiles) },
    {
      share: 0.02,
      pieces: plan
        .filter(({ item }) => item.status === 'completed')
        .map(({ piece }) => piece)
        .toReversed(),
    },
    { share: 0, pieces: mended },
    { share: 0, pieces: weighed.filter(({ decision }) => decisionWeight(decision) === 0).map(({ piece }) => piece) },
    { share: 0, pieces: files.slice(newestFiles) },
    { share: 0, pieces: olderTurns },
    { share: 0, pieces: baton.summary === null ? [] : [quotation('summary', 0, '', baton.summary)] },
  ];
}

/** So many are told before what is less telling. */
const newestFiles = 12;

/** The person's own first, then what has its reason; 0: a finding among others. */
const decisionWeight = (decision: DecisionStatement): number => (decision.by === 'person' ? 2 : decision.weight >= 3 ? 1 : 0);

function decisionText(decision: DecisionStatement): string {
  const lead =
    decision.by === 'person' && !decision.text.startsWith('Asked “')
      ? 'Person: '
      : decision.about === 'rejected'
        ? 'Not taken: '
        : '';
  return `${lead}${decision.text}${changedText(decision.changedSince)}`;
}
const changedText = (paths: readonly string[]): string =>
  paths.length === 0 ? '' : ` (changed since: ${paths.map(codeSpan).join(', ')})`;

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
const failedText = (failed: FailedStatement): string =>
  `${failed.text}${failed.times > 1 ? ` (${failed.times} times)` : ''}${failed.resolved ? ' (it went well later)' : ''}${changedText(failed.changedSince)}`;

function goalPieces(baton: Baton): readonly Piece[] {
  const both = baton.goal.length > 1;
  const pieces = baton.goal.map((goal, order) =>
    quotation('goal', isKnown(baton, goal) ? 10 : order, `${askName(baton, goal, both)} ${evidenceText(goal.entries)}:\n`, goal),
  );
  return pieces.toReversed();
}

const isKnown = ({ since }: Baton, { entries }: Statement): boolean => since !== null && (entries.at(-1) ?? 0) <= since;

function askName(baton: Baton, goal: GoalStatement, both: boolean): string {
  if (isKnown(baton, goal)) return 'The ask as you know it';
  if (goal.which === 'newest') return "The person's newest ask";
  return both ? `The person's first ask${baton.since === null ? '' : ' since then'}` : "The person's ask";
}
