/**
 * The facts beyond text that a session may tell, and how one is named: a set of short texts a fact, built once from the ledger and once
 * from the raw bytes by a script that knows nothing of the readers. Sets, because forks and copies repeat records.
 */

export const facts = [
  'plan',
  'command',
  'exitCode',
  'duration',
  'edit',
  'diff',
  'read',
  'search',
  'fetch',
  'webSearch',
  'mcp',
  'question',
  'answer',
  'denied',
  'brokenOff',
  'background',
  'agent',
  'image',
  'turnCompleted',
  'turnInterrupted',
  'turnFailed',
  'model',
  'modelChange',
  'tokens',
  'error',
  'compaction',
] as const;
export type Fact = (typeof facts)[number];

export class Found {
  readonly #sets = new Map<Fact, Set<string>>();
  readonly #tokens = new Map<string, readonly [input: number, output: number]>();

  add(fact: Fact, ...parts: readonly (string | number | null | undefined)[]): void {
    const set = this.#sets.get(fact) ?? new Set();
    set.add(parts.map((part) => String(part ?? '')).join(' ¦ '));
    this.#sets.set(fact, set);
  }

  /** Tokens of what has that name, counted once: of a name that comes again the greater count holds. */
  spend(name: string, input: number, output: number): void {
    const [knownInput, knownOutput] = this.#tokens.get(name) ?? [0, 0];
    this.#tokens.set(name, [Math.max(input, knownInput), Math.max(output, knownOutput)]);
  }

  of(fact: Fact): readonly string[] {
    if (fact !== 'tokens') return [...(this.#sets.get(fact) ?? [])].toSorted();
    const sums = [...this.#tokens.values()].reduce(([a, b], [input, output]) => [a + input, b + output], [0, 0] as const);
    return sums[0] + sums[1] === 0 ? [] : [`input ${sums[0]}, output ${sums[1]}`];
  }
}

/** A plan by its texts and states. */
export function planText(items: readonly { readonly text: string; readonly status: string }[]): string {
  return items.map(({ text, status }) => `[${status}] ${text}`).join('; ');
}
