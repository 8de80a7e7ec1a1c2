/**
 * What a native session's files told of it, merged, and what of that the thread shows. Pure.
 * Titles: a person's over a generated one over the first real prompt.
 */
import { fidelities } from '../../shuttles/contract/read.ts';
import type { Fidelity, SessionFacts } from '../../shuttles/contract/read.ts';
import type { Usage } from '../../shuttles/contract/message.ts';

export function mergeFacts(old: SessionFacts, fresh: SessionFacts): SessionFacts {
  const merged = { ...old, ...fresh };
  const createdAt = least(old.createdAt, fresh.createdAt);
  const updatedAt = greatest(old.updatedAt, fresh.updatedAt);
  const firstPrompt = old.firstPrompt ?? fresh.firstPrompt;
  const startCwd = old.startCwd ?? fresh.startCwd;
  const fidelity = bestOf(old.fidelity, fresh.fidelity);
  return {
    ...merged,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(startCwd === undefined ? {} : { startCwd }),
    ...(fidelity === undefined ? {} : { fidelity }),
  };
}

/** One line, never empty. */
export function titleOf(facts: SessionFacts, inherited: SessionFacts | undefined): string {
  const title = facts.customTitle ?? facts.generatedTitle ?? inherited?.firstPrompt ?? facts.firstPrompt ?? '';
  const line = title.replace(/\s+/gu, ' ').trim();
  return line === '' ? 'Untitled' : line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

export function parseFacts(json: string): SessionFacts {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? value : {};
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
}

function bestOf(a: Fidelity | undefined, b: Fidelity | undefined): Fidelity | undefined {
  return fidelities.find((fidelity) => fidelity === a || fidelity === b);
}
