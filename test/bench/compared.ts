/** The nearest question that a program of the field answers from the same files, how many tokens each session used, beside `loom threads`. */
import path from 'node:path';
import type { ThreadView } from '../../server/protocol/views.ts';
import { ensureCcusage } from './ccusage.ts';
import { environment, loomProgram, run, runProgram } from './program.ts';
import type { Run } from './program.ts';
import { inFolder } from './temp-folder.ts';

export interface Answer {
  readonly ms: number;
  readonly cpuMs: number | null;
  readonly peakMb: number | null;
  readonly sessions: number;
  readonly tokens: number;
}
export interface Compared {
  /** Why there is none. */
  readonly field: Answer | { readonly reason: string };
  /** On an empty ledger, which then knows everything; on one that does. */
  readonly cold: Answer;
  readonly warm: Answer;
}

export async function compared(home: string, ledger: string, say: (text: string) => void): Promise<Compared> {
  const ask = (folder: string): Promise<Run> =>
    run([loomProgram, 'threads', '--all', '--json', '--home', home, '--ledger', folder], home);
  const warm = loomAnswer(await ask(ledger));
  const field = await fieldAnswer(home, say);
  const cold = await inFolder(async (folder) => loomAnswer(await ask(path.join(folder, 'ledger'))));
  return { field, cold, warm };
}

function loomAnswer({ out, ms, cpuMs, peakMb }: Run): Answer {
  const threads = JSON.parse(out) as readonly ThreadView[];
  const tokens = threads.reduce((sum, { usage }) => sum + usage.input + usage.output + usage.cacheRead + usage.cacheWrite, 0);
  return { ms, cpuMs, peakMb, sessions: threads.length, tokens };
}

async function fieldAnswer(home: string, say: (text: string) => void): Promise<Compared['field']> {
  const installed = ensureCcusage(say);
  if (!installed.ok) return { reason: installed.reason };
  try {
    const env = { ...environment(home), CLAUDE_CONFIG_DIR: path.join(home, '.claude') };
    const { out, ms, cpuMs, peakMb } = await runProgram(installed.program, ['session', '--json', '--offline'], env);
    const told = JSON.parse(out) as { readonly session: readonly object[]; readonly totals: { readonly totalTokens: number } };
    return { ms, cpuMs, peakMb, sessions: told.session.length, tokens: told.totals.totalTokens };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
