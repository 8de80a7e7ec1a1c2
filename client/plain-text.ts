/**
 * Text of transcripts made fit to be looked at. It stays data: nothing here interprets it. Control characters go, and the
 * characters that reorder text or hide in it (bidirectional controls, zero-width and tag characters) are shown by name, so
 * that what a person reads is what is there.
 */

/** Keeps line breaks and tabs. */
export function visible(text: string): string {
  let out = '';
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isPlain(code)) continue;
    if (code === 0x200d && joinsPictograph(text, i)) continue;
    out += text.slice(from, i);
    from = i + 1;
    if (code === 0x0d) {
      if (text.charCodeAt(i + 1) !== 0x0a) out += '\n';
      continue;
    }
    out += nameOf(code);
  }
  return from === 0 ? text : out + text.slice(from);
}

/** One line for a list: white space is folded, and the rest is cut after `most` characters. */
export function oneLine(text: string, most: number): string {
  const folded = visible(text.length > most * 4 ? text.slice(0, most * 4) : text)
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = Array.from(folded);
  return characters.length <= most && text.length <= most * 4
    ? folded
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * For labels of VS Code that know `$(icon)` (pickers, status bar) and `[text](command:…)` (notifications): a hair space
 * breaks both, so that a title can neither draw an icon nor become a link.
 */
export function label(text: string, most: number): string {
  return oneLine(text, most).replaceAll('$(', '$\u200a(').replaceAll('](', ']\u200a(');
}

/** The last two parts of a path, whichever separator it uses: enough to know a folder by. */
export function shortPath(path: string): string {
  const parts = path.split(/[\\/]/u).filter((part) => part !== '');
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join('/')}`;
}

export function baseName(path: string): string {
  return path.split(/[\\/]/u).findLast((part) => part !== '') ?? path;
}

function isPlain(code: number): boolean {
  if (code < 0x20) return code === 0x0a || code === 0x09;
  if (code < 0x7f) return true;
  if (code < 0xa0) return false;
  if (code < 0x61c) return code !== 0xad;
  return !names.has(code);
}

/** A zero-width joiner between pictographs makes one picture of them; elsewhere it only hides. */
function joinsPictograph(text: string, at: number): boolean {
  const next = text.codePointAt(at + 1);
  return next !== undefined && next > 0x2190 && at > 0 && (text.charCodeAt(at - 1) >= 0xd800 || text.charCodeAt(at - 1) > 0x2190);
}

function nameOf(code: number): string {
  return names.get(code) ?? '';
}

const names: ReadonlyMap<number, string> = new Map([
  [0x061c, '⟨ALM⟩'],
  [0x200b, '⟨ZWSP⟩'],
  [0x200e, '⟨LRM⟩'],
  [0x200f, '⟨RLM⟩'],
  [0x202a, '⟨LRE⟩'],
  [0x202b, '⟨RLE⟩'],
  [0x202c, '⟨PDF⟩'],
  [0x202d, '⟨LRO⟩'],
  [0x202e, '⟨RLO⟩'],
  [0x2028, '\n'],
  [0x2029, '\n'],
  [0x2060, '⟨WJ⟩'],
  [0x2066, '⟨LRI⟩'],
  [0x2067, '⟨RLI⟩'],
  [0x2068, '⟨FSI⟩'],
  [0x2069, '⟨PDI⟩'],
  [0xfeff, '⟨BOM⟩'],
  // The first half of every tag character (U+E0000..U+E007F): its second half alone draws nothing.
  [0xdb40, '⟨TAG⟩'],
]);
