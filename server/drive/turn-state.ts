/**
 * Whether a turn is open in a conversation, from its newest entries: for sessions whose turns the thread's row does not tell. Reads a few
 * hundred headers at most.
 */
import type { Engine } from '../engine/engine.ts';
import { end } from '../engine/storage.ts';
import { asLedgerEntry } from '../ledger/transcript.ts';
import type { LedgerEntry, TurnContent } from '../../shuttles/contract/entry.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';

export type TurnPhase = TurnContent['phase'];

const farthest = 400;
const telling: ReadonlySet<string> = new Set(['turn', 'user', 'assistant', 'tool_result', 'handoff']);

/** Write a message when it is whole, so that a last one without calls ends its turn. The others mark turns, or write blocks. */
const wholeMessages: ReadonlySet<HarnessId> = new Set(['pi', 'gemini', 'openclaw', 'antigravity']);

/** Phase of the newest turn boundary; null: something came since that no end is known of, or nothing is near. */
export function turnIn(engine: Engine, conversation: number, harness: HarnessId): TurnPhase | null {
  for (const header of engine.entryHeaders(conversation, { before: end, limit: farthest }).items) {
    if (!telling.has(header.kind)) continue;
    const stored = engine.getEntry(header.id);
    const phase = stored === undefined ? undefined : phaseAt(asLedgerEntry(stored), harness);
    if (phase !== undefined) return phase;
  }
  return null;
}

/** undefined: it does not tell. */
function phaseAt(entry: LedgerEntry, harness: HarnessId): TurnPhase | null | undefined {
  const isWhole = wholeMessages.has(harness);
  switch (entry.kind) {
    case 'turn':
      return entry.content.phase;
    // Nobody has said anything in it yet.
    case 'handoff':
      return 'completed';
    case 'user':
      return ['typed', 'queued', 'chat'].includes(entry.content.origin) ? null : undefined;
    case 'assistant':
      if (!isWhole) return undefined;
      return entry.content.content.some(({ type }) => type === 'toolCall') ? 'started' : 'completed';
    case 'tool_result':
      return isWhole ? 'started' : undefined;
    case 'step':
    case 'system':
    case 'notice':
    case 'summary':
    case 'reset':
    case 'plan':
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return undefined;
  }
}
