/** For the raw scripts: lines of files as loosely typed JSON. Lines that are no JSON are passed over: other tests look at those. */
import fs from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

/** Read by people who know the format: whatever is asked for may be absent. */
// eslint-disable-next-line typescript/no-explicit-any -- scripts over foreign JSON that must share nothing with the readers
export type Raw = any;

export function filesBelow(home: string, form: RegExp): readonly string[] {
  return fs
    .readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => form.test(name.replaceAll('\\', '/')))
    .toSorted()
    .map((name) => path.join(home, name))
    .filter((file) => fs.lstatSync(file).isFile());
}

export function linesOf(file: string): readonly Raw[] {
  const bytes = fs.readFileSync(file);
  const text = (file.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line) => {
    const bare = line.replace(/^[\0\uFEFF]+/, '');
    const whole = parsed(bare);
    return (whole === undefined ? pieces(bare) : [whole]).filter(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
  });
}

/** Two records that were written into one line, or one behind the torn beginning of another. */
function pieces(line: string): readonly Raw[] {
  const starts = [...line.matchAll(/\{"(?:type|parentUuid|uuid|timestamp)"/g)].map(({ index }) => index);
  const ends = [...starts.slice(1), line.length];
  const found: Raw[] = [];
  for (let at = 0; at < starts.length; at++) {
    const end = ends.slice(at).find((stop) => parsed(line.slice(starts[at], stop)) !== undefined);
    if (end === undefined) continue;
    found.push(parsed(line.slice(starts[at], end)));
    while ((starts[at + 1] ?? end) < end) at++;
  }
  return found;
}

function parsed(text: string): Raw {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a content: a string, or the texts of its blocks. */
export function textOf(content: Raw): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: Raw) => (typeof block === 'string' ? block : (block?.text ?? ''))).join('\n');
}

/** Lines of a text, without the empty one behind the last newline. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
