/**
 * The fold from a conversation to what its baton needs. Pure and total: the same entries give the same state, unknown kinds
 * change nothing, no text is trusted beyond its class. Each step costs its entry's size and leaves a bounded state, so that
 * a baton can be kept ready while a thread grows. The masker is the ledger's: nothing unmasked enters the state.
 */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { BatonState } from './baton-state.ts';
import { emptyState, limits } from './baton-state.ts';
import { foldResult, foldStep } from './fold-action.ts';
import { foldAnswer } from './fold-answer.ts';
import { foldPrompt } from './fold-prompt.ts';
import { cleanPassage, cleanSpan } from './passage.ts';
import { withFailure } from './failure.ts';
import type { Masker } from './mask.ts';

export function foldEntry(state: BatonState, entry: LedgerEntry, masker: Masker): BatonState {
  const seen = { ...state, entries: state.entries + 1, firstEntry: state.firstEntry || entry.id, lastEntry: entry.id };
  const trust = entry.content.provenance.trust;
  switch (entry.kind) {
    case 'user':
      return foldPrompt(seen, entry.id, entry.content, trust, masker);
    case 'assistant':
      return foldAnswer(seen, entry.id, entry.content, masker);
    case 'tool_result':
      return foldResult(seen, entry.id, entry.content, entry.content.at, trust, masker);
    case 'step':
      return foldStep(seen, entry.id, entry.content, entry.content.at, trust, masker);
    case 'plan': {
      const items = entry.content.items
        .slice(0, limits.planItems)
        .map((item) => ({ text: cleanSpan(item.text, limits.planText, masker), status: item.status }));
      return { ...seen, plan: items.length === 0 ? null : { items, entry: entry.id } };
    }
    case 'summary':
      return {
        ...seen,
        summary: {
          text: cleanPassage(entry.content.text, limits.summary, masker),
          entries: [entry.id],
          trust: 'model',
          score: 0,
        },
      };
    case 'handoff': {
      const note = { text: `${entry.content.from} → ${entry.content.to}`, entries: [entry.id], trust: 'loom' as const, score: 0 };
      return { ...seen, open: [], handoffs: [...seen.handoffs, note].slice(-limits.handoffs) };
    }
    case 'reset':
      // The person cleared the context: what was asked before no longer stands. What was done to files and was checked does.
      return {
        ...emptyState,
        entries: seen.entries,
        firstEntry: seen.firstEntry,
        lastEntry: entry.id,
        cwd: seen.cwd,
        files: seen.files,
        filesForgotten: seen.filesForgotten,
        checks: seen.checks,
        processes: seen.processes,
        handoffs: seen.handoffs,
      };
    case 'notice':
      if (entry.content.code === 'apiError' || entry.content.code === 'limit') {
        return withFailure(seen, {
          kind: 'api',
          text: cleanSpan(entry.content.text, limits.note, masker),
          entries: [entry.id],
          trust: 'harness',
          command: '',
          score: 1,
        });
      }
      return seen;
    case 'turn':
      if (entry.content.phase === 'failed') {
        const text = cleanSpan(entry.content.error ?? 'the turn failed', limits.note, masker);
        return withFailure(seen, { kind: 'turn', text, entries: [entry.id], trust: 'harness', command: '', score: 1 });
      }
      return seen;
    case 'setting':
      return entry.content.name === 'cwd' ? { ...seen, cwd: entry.content.value } : seen;
    case 'system':
    case 'snapshot':
    case 'opaque':
      return seen;
  }
}
