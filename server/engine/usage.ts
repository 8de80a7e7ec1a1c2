/**
 * What models and tools have used (engine specification 8.2): one row an attempt, failed and discarded ones too, and the totals of the
 * session beside it, written together, so that they are read by one point read and never folded. An attempt whose provider told
 * nothing is unknown, which is not zero: totals count how many of them they do not cover.
 */
import { sessionList, sessionValue } from './address.ts';
import type { Id } from './records.ts';

/** `input`: what was neither read from a cache nor written to one. */
export type Tokens = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};
export type UsageRow = {
  readonly conversation: Id;
  /** The task whose attempt it was. */
  readonly task?: Id;
  readonly model?: string;
  /** Absent: not reported. */
  readonly tokens?: Tokens;
  /** In the host's unit of money. Absent: not known. */
  readonly cost?: number;
};
export type UsageTotals = {
  readonly attempts: number;
  /** Attempts whose tokens are not known, and those whose cost is not; the sums are without them. */
  readonly unknownTokens: number;
  readonly unknownCost: number;
  readonly tokens: Tokens;
  readonly cost: number;
};

export const usage = sessionList<UsageRow>('engine.usage');
export const usageTotals = sessionValue<UsageTotals>('engine.usage.totals');

const nothing: UsageTotals = {
  attempts: 0,
  unknownTokens: 0,
  unknownCost: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  cost: 0,
};

export function withUsage(totals: UsageTotals = nothing, { tokens, cost }: UsageRow): UsageTotals {
  return {
    attempts: totals.attempts + 1,
    unknownTokens: totals.unknownTokens + (tokens === undefined ? 1 : 0),
    unknownCost: totals.unknownCost + (cost === undefined ? 1 : 0),
    tokens: {
      input: totals.tokens.input + (tokens?.input ?? 0),
      output: totals.tokens.output + (tokens?.output ?? 0),
      cacheRead: totals.tokens.cacheRead + (tokens?.cacheRead ?? 0),
      cacheWrite: totals.tokens.cacheWrite + (tokens?.cacheWrite ?? 0),
    },
    cost: totals.cost + (cost ?? 0),
  };
}
