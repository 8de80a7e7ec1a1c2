/**
 * Has the newest turn of a session ended at a limit, or failed for good, with nobody going on since? Told from the entries of one batch,
 * from the newest back, so that it costs nothing of the history. Pure.
 */
import type { Stop } from '../ledger/stops-table.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { oneLine } from '../../shuttles/kit/fields.ts';
import { isPrompt } from './lease-standing.ts';
import type { OutlinedDraft } from './translated-batch.ts';

type Told = Pick<OutlinedDraft, 'kind' | 'origin' | 'phase' | 'inherited'>;

const longest = 300;

/**
 * `entries` are those of `placed`, taken apart only where they are looked at. `before`: what was known until now. undefined: nothing in
 * the batch changes that.
 */
export function stopAfter(
  placed: readonly { readonly draft: Told }[],
  entries: readonly LedgerEntry[],
  before: () => Stop | null,
): Stop | null | undefined {
  let over: 'completed' | 'failed' | undefined;
  let trouble: string | undefined;
  const told = (): Stop | null =>
    over === 'failed' || trouble !== undefined ? { reason: 'failed', text: trouble ?? '', resetsAt: null } : null;
  for (let i = placed.length - 1; i >= 0; i--) {
    const draft = placed[i]?.draft;
    const entry = entries[i];
    if (draft === undefined || entry === undefined || draft.inherited === true) continue;
    switch (draft.kind) {
      case 'turn':
        if (draft.phase === 'interrupted') return null;
        if (draft.phase === 'started') return told();
        over ??= draft.phase;
        if (draft.phase === 'failed' && entry.kind === 'turn') trouble ??= lineOf(entry.content.error);
        break;
      case 'notice':
        // A warning is of a limit that comes near, or of a try that is made again; an error ends the turn, whatever its record says.
        if (entry.kind !== 'notice' || entry.content.level !== 'error') break;
        if (entry.content.code === 'limit')
          return { reason: 'limit', text: lineOf(entry.content.text) ?? '', resetsAt: entry.content.resetsAt ?? null };
        if (entry.content.code === 'apiError') trouble ??= lineOf(entry.content.text);
        break;
      case 'assistant':
      case 'tool_result':
        return told();
      case 'user':
        if (isPrompt(draft)) return told();
        break;
      case 'step':
      case 'system':
      case 'summary':
      case 'handoff':
      case 'reset':
      case 'plan':
      case 'setting':
      case 'snapshot':
      case 'opaque':
        break;
    }
  }
  // The turn began in an earlier batch, which may have told of a limit.
  return over === undefined && trouble === undefined ? undefined : (before() ?? told());
}

function lineOf(text: string | undefined): string | undefined {
  const line = oneLine(text ?? '', longest);
  return line === '' ? undefined : line;
}
