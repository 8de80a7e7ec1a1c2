/** Cuts a text into its own sentences: what stands in fences, quotations and pasted logs is somebody else's and is left out. */

/** List items and paragraphs first, then sentences. Soft-wrapped lines are joined. At most 400 sentences. */
export function sentencesOf(text: string): readonly string[] {
  const out: string[] = [];
  for (const paragraph of paragraphsOf(text)) {
    for (const piece of paragraph.split(/(?<=[.!?…]["')\]]?)\s+(?=[\p{Lu}\p{Lo}\p{N}"'(`*_¿¡-])|(?<=[。！？])/u)) {
      const sentence = joinAbbreviations(piece).trim();
      if (sentence !== '') out.push(sentence);
      if (out.length >= 400) return out;
    }
  }
  return mended(out);
}

/** The lines of a text that are not within fences and not quoted. */
export function ownLines(text: string): readonly string[] {
  const out: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^\s{0,8}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== '') {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = '';
    } else if (mark !== undefined) fence = mark;
    else if (!/^\s{0,3}>/.test(line)) out.push(line);
  }
  return out;
}

function paragraphsOf(text: string): readonly string[] {
  const out: string[] = [];
  let wrapped = false;
  for (const line of ownLines(text)) {
    const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/.exec(line);
    const body = line
      .slice(item?.[0].length ?? 0)
      .replace(/^#{1,6}\s+/, '')
      .trim();
    const last = out.length - 1;
    if (wrapped && item === null && body !== '' && /^\p{Ll}/u.test(body)) out[last] += ` ${body}`;
    else if (body !== '') out.push(body);
    wrapped = body.length >= 40 && !/[.!?:。！？]$/.test(body);
  }
  return out;
}

/** Most pieces have nothing but single blanks. */
const joinAbbreviations = (text: string): string => (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text);
/** "e.g. Redis" was cut behind its full stop: such ends are put back together. */
function mended(pieces: readonly string[]): readonly string[] {
  const out: string[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (last !== undefined && /(?:^|[\s(])(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|bzw|z\.B|d\.h)\.$/i.test(last))
      out[out.length - 1] = `${last} ${piece}`;
    else out.push(piece);
  }
  return out;
}
