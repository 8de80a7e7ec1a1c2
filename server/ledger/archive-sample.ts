/** A look at some of the archive's pieces, chunks or blocks alike. */

export interface Sample {
  readonly looked: number;
  /** Of the pieces that are damaged. */
  readonly sources: readonly number[];
}

/** Looks at every `step`th of the numbers. `damagedSource`: the source of a damaged piece; undefined: it is whole, or gone meanwhile. */
export function sampled(numbers: readonly number[], step: number, damagedSource: (number: number) => number | undefined): Sample {
  const chosen = numbers.filter((_, i) => i % step === 0);
  return { looked: chosen.length, sources: chosen.map(damagedSource).filter((source) => source !== undefined) };
}
