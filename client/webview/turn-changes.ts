/**
 * At which rows the changes of turns are drawn: a turn's at the last row that it has (the one that says that it ended, if there is one),
 * and what lies between two turns above the prompt that follows. Only turns of the line that is shown are placed. Pure.
 */
import type { TimelineView } from '../../server/protocol/views.ts';
import type { ThreadChanges, TurnChanges } from '../../server/protocol/world.ts';
import { turnName } from '../changes-words.ts';
import type { Row } from './rows.ts';

export interface PlacedTurn {
  readonly turn: TurnChanges;
  /** "Turn 3". */
  readonly name: string;
}
export interface PlacedChanges {
  /** By the key of the row that it stands in, and above which it stands. */
  readonly ends: ReadonlyMap<string, PlacedTurn>;
  readonly above: ReadonlyMap<string, PlacedTurn>;
}

export const noChanges: PlacedChanges = { ends: new Map(), above: new Map() };

/** The conversations that a line goes through, each up to which of its entries. */
export type Line = ReadonlyMap<number, number>;

export function lineOf({ conversation, conversations }: Pick<TimelineView, 'conversation' | 'conversations'>): Line {
  const parents = new Map(conversations.map(({ id, parent }) => [id, parent]));
  const line = new Map<number, number>();
  let at = Infinity;
  for (let id: number | undefined = conversation; id !== undefined && !line.has(id);) {
    line.set(id, at);
    const parent = parents.get(id);
    at = Math.min(at, parent?.at ?? 0);
    id = parent?.conversation;
  }
  return line;
}

/** `line`: that the rows are of. The prompt of the first rows need not be among them: the turn is known by its entries. */
export function placeChanges(rows: readonly Row[], changes: ThreadChanges | null, line: Line): PlacedChanges {
  if (changes === null || changes.turns.length === 0) return noChanges;
  const { turns } = changes;
  const ends = new Map<string, PlacedTurn>();
  const above = new Map<string, PlacedTurn>();
  const byEntry = new Map(turns.flatMap((turn, index) => (turn.entry === null ? [] : [[turn.entry, index] as const])));
  const first = rows[0]?.entries[0]?.id ?? 0;
  let index = turns.findIndex(
    ({ entry, conversation, last: end }) =>
      entry !== null && entry < first && first <= Math.min(end ?? 0, line.get(conversation ?? 0) ?? 0),
  );
  let last: Row | undefined;
  const close = (): void => {
    const turn = turns[index];
    if (turn !== undefined && turn.filesTotal > 0 && last !== undefined)
      ends.set(last.key, { turn, name: turnName(turns, turn) });
  };
  for (const row of rows) {
    if (!isPrompt(row)) {
      if (index >= 0 && (last?.kind !== 'turn' || row.kind === 'turn')) last = row;
      continue;
    }
    close();
    index = byEntry.get(row.entries[0]?.id ?? -1) ?? -1;
    last = row;
    const between = turns[index - 1];
    if (between?.entry === null && between.filesTotal > 0) above.set(row.key, { turn: between, name: turnName(turns, between) });
  }
  close();
  return { ends, above };
}

/** What the server counts as one: somebody asks, and a turn begins. */
function isPrompt({ entries: [entry] }: Row): boolean {
  return entry?.kind === 'user' && ['typed', 'queued', 'chat', 'loom'].includes(entry.origin);
}
