/** Ids of calls as a provider takes them, each once in a session. */

export interface CallIdForm {
  /** Signs that it does not take; global. */
  readonly odd: RegExp;
  /** Stands for each of them. */
  readonly instead: string;
}

/** `taken`: ids that are in the session already. `suffix` keeps them apart from those of a file that is not known whole. */
export function uniqueIds({ odd, instead }: CallIdForm, taken: ReadonlySet<string>, suffix: string): (id: string) => string {
  const used = new Set(taken);
  return (id) => {
    const base = `${id.replaceAll(odd, instead).slice(0, 44) || 'call'}${suffix}`;
    let unique = base;
    for (let n = 2; used.has(unique); n++) unique = `${base}-${n}`;
    used.add(unique);
    return unique;
  };
}
