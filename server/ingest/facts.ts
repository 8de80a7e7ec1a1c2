/**
 * What a native session's files told of it, merged, and what of that the thread shows. Pure.
 * Titles: a person's over a generated one over the first real prompt (shuttles/kit/title.ts says what is one).
 */
import { fidelities } from '../../shuttles/contract/read.ts';
import type { Fidelity, SessionFacts } from '../../shuttles/contract/read.ts';
import type { Usage } from '../../shuttles/contract/message.ts';
import { oneLine } from '../../shuttles/kit/fields.ts';
import { betterPrompt, promptTitle, titleLength } from '../../shuttles/kit/title.ts';

export function mergeFacts(old: SessionFacts, fresh: SessionFacts): SessionFacts {
  const merged = { ...old, ...fresh };
  const createdAt = least(old.createdAt, fresh.createdAt);
  const updatedAt = greatest(old.updatedAt, fresh.updatedAt);
  const firstPrompt = betterPrompt(old.firstPrompt, fresh.firstPrompt);
  const startCwd = old.startCwd ?? fresh.startCwd;
  const fidelity = bestOf(old.fidelity, fresh.fidelity);
  const repo = merged.repo === undefined ? undefined : withoutLogin(merged.repo);
  return {
    ...merged,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(startCwd === undefined ? {} : { startCwd }),
    ...(fidelity === undefined ? {} : { fidelity }),
    ...(repo === undefined ? {} : { repo }),
  };
}

/** One line, never empty. `inherited`: of the session that this one was forked from. */
export function titleOf(facts: SessionFacts, inherited: SessionFacts | undefined): string {
  const custom = oneLine(facts.customTitle ?? '', titleLength);
  if (custom !== '') return custom;
  const titles = [facts.generatedTitle, inherited?.firstPrompt, facts.firstPrompt].map((text) => promptTitle(text ?? ''));
  return (titles.find(({ names }) => names) ?? titles.find(({ line }) => line !== ''))?.line ?? 'Untitled';
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

/** A repository's address may hold a person's name and token: they are neither kept nor shown. `git@host:path` names no secret. */
function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/i, '$1');
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
