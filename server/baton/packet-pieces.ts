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
  open: 'Open calls (outcome unknown)',
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
    piece: bullet(
      'decisions',
      order,
      `${decision.by === 'person' && !decision.text.startsWith('Asked “') ? 'Person: ' : ''}${decision.text}`,
      decision.entries,
    ),
  }));
  return [
    { share: 0.2, pieces: goalPieces(baton) },
    {
      share: 0.14,
      pieces: baton.constraints.map((statement, order) => bullet('constraints', order, statement.text, statement.entries)),
    },
    {
      share: 0.05,
      pieces: baton.open.map((statement, order) => bullet('open', order, statement.text, statement.entries)).toReversed(),
    },
    { share: 0.12, pieces: [...open.map(({ piece }) => piece), ...next] },
    { share: 0.16, pieces: failed },
    { share: 0.08, pieces: baton.world.map((statement, order) => bullet('world', order, statement.text, statement.entries)) },
    {
      share: 0.12,
      pieces: decisions
        .toReversed()
        .toSorted((a, b) => Number(b.decision.by === 'person') - Number(a.decision.by === 'person'))
        .map(({ piece }) => piece),
    },
    { share: 0.2, pieces: turns },
    {
      share: 0.06,
      pieces: baton.files.map((file, order) => bullet('files', order, file.text, file.entries.slice(-1))).toReversed(),
    },
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
const failedText = (failed: FailedStatement): string =>
  `${failed.text}${failed.times > 1 ? ` (${failed.times} times)` : ''}${failed.resolved ? ' (it went well later)' : ''}`;

function goalPieces(baton: Baton): readonly Piece[] {
  const both = baton.goal.length > 1;
  const pieces = baton.goal.map((goal, order) =>
    quotation(
      'goal',
      order,
      `${goal.which === 'newest' ? "The person's newest ask" : both ? "The person's first ask" : "The person's ask"} ${evidenceText(goal.entries)}:\n`,
      goal,
    ),
  );
  return pieces.toReversed();
}

/** So many newest results are shown with their output; of older ones only those that failed, for what failed is what is asked about. */
const shownOutputs = 3;

/**
 * The newest exchange (the last prompt and answer, then what came since the prompt), and what was before. A prompt that the
 * goal quotes is only named; an older answer that other sections tell whole is left away.
 */
function turnPieces(baton: Baton): readonly [readonly Piece[], readonly Piece[]] {
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
