/** Which entries begin and end a turn, as the transcripts of all harnesses tell it. */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';

/** `prompt`: somebody asks, and a turn begins; `start`: the harness says that one began, its prompt may come behind it; `end`. */
export type TurnBoundary = 'prompt' | 'start' | 'end';

export function boundaryAt(entry: LedgerEntry): TurnBoundary | undefined {
  switch (entry.kind) {
    case 'user':
      return ['typed', 'queued', 'chat', 'loom'].includes(entry.content.origin) ? 'prompt' : undefined;
    case 'turn':
      return entry.content.phase === 'started' ? 'start' : 'end';
    case 'assistant':
      // Not every run of a program marks its turns: a message that stops without a call is the end of one.
      return entry.content.stopReason !== undefined &&
        entry.content.stopReason !== 'toolUse' &&
        !entry.content.content.some(({ type }) => type === 'toolCall' || type === 'thinking')
        ? 'end'
        : undefined;
    case 'tool_result':
    case 'step':
    case 'system':
    case 'notice':
    case 'summary':
    case 'handoff':
    case 'reset':
    case 'plan':
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return undefined;
  }
}

/** Is it the copy of another session's entry? Then nothing happens now. */
export function isInherited({ content }: LedgerEntry): boolean {
  return content.provenance.inherited === true;
}
