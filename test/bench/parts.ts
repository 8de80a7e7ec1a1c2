/** The parts of the benchmark, by the names that `--only` takes. */
export const partNames = [
  'import',
  'rescan',
  'search',
  'append',
  'open',
  'long',
  'baton',
  'files',
  'many',
  'compare',
  'world',
  'mcp',
  'engine',
] as const;
export type PartName = (typeof partNames)[number];

/** Throws at a name that is none. */
export function partsOf(text: string | undefined): ReadonlySet<PartName> {
  if (text === undefined) return new Set(partNames);
  return new Set(
    text.split(',').map((name) => {
      const part = partNames.find((known) => known === name.trim());
      if (part === undefined) throw new Error(`There is no part "${name}"; parts are ${partNames.join(', ')}.`);
      return part;
    }),
  );
}
