/**
 * A thread as a prompt: the baton is a file in the ledger's folder, and the harness is started with a few words of Loom's own that name
 * it. For harnesses whose sessions Loom does not write. The model gets a summary and a plan, and not the history.
 */
import path from 'node:path';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { Launch, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { disclose } from '../baton/disclosure.ts';
import { tokenOf } from '../ledger/expected-mark.ts';
import { beginPrompt } from './begin-prompt.ts';
import type { Made, Parts } from './made.ts';

export const briefWarning = 'Summary and plan, not the native history: the model there gets the baton alone.';

/** `folder`: the ledger's. */
export function makePrompt(
  { shuttle, begin }: { readonly shuttle: Shuttle; readonly begin: Exclude<Launch['begin'], { readonly absent: string }> },
  parts: Parts,
  folder: string,
  thread: string,
): Made {
  const { baton, cwd, now, from } = parts;
  const launched: Partial<Launch> = 'absent' in shuttle.launch ? {} : shuttle.launch;
  const token = tokenOf(parts.randomBytes(16));
  const reads = batonFolder(folder);
  const file = path.join(reads, `${thread}-${new Date(now).toISOString().replaceAll(/[-:.]/gu, '')}.md`);
  const head = `> Written by Loom for ${harnessNames[shuttle.harness]}: what another coding agent (${harnessNames[from]}) did in the thread ${thread}. It can be deleted when that has been read.`;
  const bytes = Buffer.from(`${head}\n\n${baton}${baton.endsWith('\n') ? '' : '\n'}`, 'utf8');
  return {
    carrier: { mode: 'prompt', token, folder: launched.worksElsewhere === true ? '' : cwd },
    change: { kind: 'new', root: reads, path: file, bytes, mode: 0o600 },
    nativeId: '',
    command: begin({ prompt: beginPrompt(token, file), cwd, reads }),
    disclosure: disclose([], baton, from, shuttle.harness),
    warnings: [briefWarning, ...(launched.beginWarnings ?? [])],
  };
}

export function batonFolder(folder: string): string {
  return path.join(folder, 'batons');
}

/** Of the names in that folder those of the thread's batons that are more than `most` hand-overs old. */
export function oldBatons(names: readonly string[], thread: string, most: number): readonly string[] {
  return names
    .filter((name) => name.startsWith(`${thread}-`) && name.endsWith('.md'))
    .toSorted()
    .slice(0, -most);
}
