/** The facts that a home's ledger has, from the canonical entries alone: the same code for every harness. */
import type { ActionDetails, LedgerEntry } from '../../../shuttles/contract/entry.ts';
import { allEntries } from '../../../server/ledger/transcript.ts';
import type { HomeLedger } from '../../home-ledger.ts';
import { Found, planText } from './fact.ts';

/** By harness, since a home may hold sessions of several. */
export async function arrived(home: HomeLedger): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  const sessions = new Set(home.ledger.threads.newest(1000).map(({ session }) => session));
  for (const session of sessions)
    for (const branch of home.ledger.branches.bySession(session))
      for (const entry of await allEntries(home.ledger, branch.session, branch.conversation)) {
        const { harness } = entry.content.provenance;
        const own = found.get(harness) ?? new Found();
        found.set(harness, own);
        take(own, entry, `${session} ${entry.id}`);
      }
  return found;
}

function take(found: Found, entry: LedgerEntry, name: string): void {
  const { nativeId } = entry.content.provenance;
  switch (entry.kind) {
    case 'assistant': {
      const { model, usage } = entry.content;
      if (model !== undefined) found.add('model', model);
      if (usage !== undefined) found.spend(name, usage.input + usage.cacheRead + usage.cacheWrite, usage.output);
      return images(found, entry.content.content);
    }
    case 'user':
      return images(found, entry.content.content);
    case 'tool_result':
      images(found, entry.content.content);
      return action(found, entry.content.toolCallId, entry.content.details ?? {});
    case 'step':
      return action(found, entry.content.stepId ?? '', entry.content.details);
    case 'plan':
      return found.add('plan', planText(entry.content.items));
    case 'turn': {
      const { phase, turnId } = entry.content;
      const turn = turnId ?? nativeId ?? entry.content.at;
      if (phase === 'completed') found.add('turnCompleted', turn);
      else if (phase === 'interrupted') found.add('turnInterrupted', turn);
      else if (phase === 'failed') found.add('turnFailed', turn);
      return;
    }
    case 'setting':
      if (entry.content.name === 'model') found.add('modelChange', entry.content.value);
      return;
    case 'notice': {
      const { code, text, resetsAt } = entry.content;
      if (code === 'apiError' || code === 'limit') found.add('error', code, text.slice(0, 80), resetsAt);
      return;
    }
    case 'summary':
      return found.add('compaction', entry.content.text.slice(0, 80));
    case 'system':
    case 'handoff':
    case 'reset':
    case 'snapshot':
    case 'opaque':
  }
}

function images(found: Found, blocks: readonly { readonly type: string; readonly data?: string }[]): void {
  for (const block of blocks) if (block.type === 'image') found.add('image', block.data?.slice(0, 60));
}

function action(found: Found, id: string, details: ActionDetails): void {
  const { action: kind, status } = details;
  if (details.command !== undefined) found.add('command', id, details.command);
  if (details.exitCode !== undefined) found.add('exitCode', id, details.exitCode);
  if (details.durationMs !== undefined) found.add('duration', id, details.durationMs);
  for (const file of details.files ?? []) {
    found.add('edit', id, file.path, file.change);
    if (file.diff !== undefined) found.add('diff', id, file.path, `+${file.added} -${file.removed}`);
  }
  if (kind === 'read' || kind === 'search' || kind === 'webSearch' || kind === 'agent') found.add(kind, id);
  // Codex reads with commands, and marks those that only read.
  if (kind === 'command' && details.extra?.['reads'] !== undefined) found.add('read', id);
  if (kind === 'fetch') found.add('fetch', id, details.url);
  if (kind === 'mcp') found.add('mcp', id, details.server);
  for (const { question, answer } of details.questions ?? []) {
    found.add('question', question);
    if (answer !== undefined) found.add('answer', question, answer);
  }
  if (status === 'denied') found.add('denied', id, details.decision?.allowed === false ? 'no' : 'unsaid');
  if (status === 'interrupted') found.add('brokenOff', id);
  const task = details.extra?.['backgroundTask'];
  if (typeof task === 'string') found.add('background', id, task);
}
