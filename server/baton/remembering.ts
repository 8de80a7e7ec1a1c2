/** Remembers what comes of texts that come again and again: names, commands. For pure functions; bounded. */

const mostTexts = 4096;
/** Longer texts hardly come twice. Characters. */
const longest = 1024;

export function remembering<T>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly made: T }>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.made;
    const made = of(text);
    if (text.length > longest) return made;
    if (known.size >= mostTexts) known.clear();
    known.set(text, { made });
    return made;
  };
}
