/**
 * A made-up project: its source files and the names in them. All sessions of the project read, search and change the same files, so
 * that text repeats in sessions and between them as it does in real ones. Deterministic in its number.
 */
import { Words } from './words.ts';

export interface SourceFile {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly lines: readonly string[];
}
export interface Project {
  readonly cwd: string;
  /** The ones that are opened most come first. */
  readonly files: readonly SourceFile[];
  readonly names: readonly string[];
  readonly tests: readonly string[];
}

const projects = new Map<number, Project>();

export function projectOf(number: number): Project {
  const known = projects.get(number) ?? makeProject(number);
  projects.set(number, known);
  return known;
}

function makeProject(number: number): Project {
  const words = new Words(100_000 + number);
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const name = (): string => {
    const parts = Array.from({ length: 1 + words.integer(3) }, () => words.identifier());
    const joined = parts.map((part, index) => (index === 0 ? part : capital(part))).join('');
    return words.chance(0.15) ? capital(joined) : joined;
  };
  const names = [...new Set(Array.from({ length: 500 }, name))];
  const folders = Array.from({ length: 10 }, () => words.identifier());
  const files = Array.from({ length: 70 }, (_, index): SourceFile => {
    const base = `${words.identifier()}-${words.identifier()}`;
    const kind = words.random();
    const ending = kind < 0.8 ? 'ts' : kind < 0.9 ? 'json' : 'md';
    const length = Math.min(900, Math.max(12, words.size(90, 0.8)));
    const path = `${words.chance(0.25) ? 'test' : 'src'}/${words.pick(folders)}/${base}${index}.${ending}`;
    return { path, lines: linesOf(words, ending, length, names) };
  });
  const tests = Array.from({ length: 160 }, () => words.prose(20, names).split('\n')[0] ?? '');
  return { cwd: `/home/user/project-${number}`, files, names, tests };
}

function linesOf(words: Words, ending: string, length: number, names: readonly string[]): readonly string[] {
  if (ending === 'md') return words.prose(length * 60, names).split(/(?<=\.) /);
  if (ending === 'json') return jsonLines(words, length, names);
  return codeLines(words, length, names);
}

/** Functions with a few statements each. */
export function codeLines(words: Words, length: number, names: readonly string[]): string[] {
  const name = (): string => words.favourite(names);
  const lines: string[] = [];
  while (lines.length < length) {
    if (words.chance(0.3)) lines.push(`/** ${words.prose(40, names).split('\n')[0]} */`);
    lines.push(`export function ${name()}(${name()}: ${name()}, ${name()}: string): ${name()} {`);
    for (let left = 2 + words.integer(12); left > 0; left--) lines.push(`  ${statement(words, name)}`);
    lines.push(`  return ${name()};`, '}', '');
  }
  return lines.slice(0, length);
}

function statement(words: Words, name: () => string): string {
  switch (words.integer(8)) {
    case 0:
      return `if (${name()} === undefined) throw new Error(\`${words.word()} ${words.word()} \${${name()}}\`);`;
    case 1:
      return `for (const ${name()} of ${name()}.${name()}) ${name()}.push(${name()});`;
    case 2:
      return `await ${name()}.${name()}({ ${name()}, ${name()}: ${words.integer(500)} });`;
    case 3:
      return `// ${words.prose(30).split('\n')[0]}`;
    case 4:
      return `  expect(${name()}(${words.integer(100)})).toEqual(${words.integer(1000)});`;
    default:
      return `const ${name()} = ${name()}.${name()}(${name()}, '${words.word()}');`;
  }
}

export function jsonLines(words: Words, length: number, names: readonly string[]): string[] {
  const lines = ['['];
  while (lines.length < length - 1)
    lines.push(
      '  {',
      `    "id": ${words.integer(100_000)},`,
      `    "${words.favourite(names)}": "${words.word()}",`,
      `    "status": "${words.pick(['open', 'paid', 'failed', 'sent'])}",`,
      `    "${words.favourite(names)}": { "amount": ${words.integer(10_000)}, "currency": "EUR" }`,
      '  },',
    );
  lines.push(']');
  return lines;
}
