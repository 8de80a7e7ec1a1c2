/** What the programs put out that a made-up agent runs: listings, searches, tests, logs, JSON and diffs, about the files of its project. */
import type { Project, SourceFile } from './project.ts';
import { jsonLines } from './project.ts';
import type { Words } from './words.ts';

/** The lines from `from` on, up to about that many characters. */
export function excerpt({ lines }: SourceFile, from: number, characters: number): readonly string[] {
  const out: string[] = [];
  let length = 0;
  for (const line of lines.slice(from)) {
    if (length > 0 && length + line.length > characters) break;
    out.push(line);
    length += line.length + 1;
  }
  return out;
}

/** As `cat -n` has them. */
export function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${String(from + index + 1).padStart(6)}\t${line}`).join('\n');
}

/** Lines of all files with a name in them. */
export function searched(words: Words, project: Project, pattern: string, characters: number): string {
  const out: string[] = [];
  let length = 0;
  let seen = 0;
  for (let tried = 0; tried < 4000 && length < characters; tried++) {
    const file = words.favourite(project.files);
    const at = words.integer(file.lines.length);
    const line = file.lines[at] ?? '';
    if (!line.includes(pattern) && seen++ % 3 > 0) continue;
    const hit = `${file.path}:${at + 1}:${line}`;
    out.push(hit);
    length += hit.length + 1;
  }
  return out.join('\n');
}

export interface Ran {
  readonly command: string;
  readonly description: string;
  readonly output: string;
}

/** A command and what it prints, up to about that many characters. */
export function ran(words: Words, project: Project, characters: number, failed: boolean): Ran {
  const file = words.favourite(project.files);
  const name = words.favourite(project.names);
  const repeat = (line: () => string): string => {
    const out: string[] = [];
    for (let length = 0; length < characters;) {
      const next = line();
      out.push(next);
      length += next.length + 1;
    }
    return out.join('\n');
  };
  switch (words.integer(7)) {
    case 0:
    case 1:
      return {
        command: `npx vitest run ${file.path}`,
        description: 'Run the tests of the file',
        output: `${repeat(() => ` ${failed && words.chance(0.3) ? '×' : '✓'} ${file.path} > ${words.favourite(project.tests)} (${words.integer(90)} ms)`)}\n Test Files  ${failed ? '1 failed' : '1 passed'} (1)\n   Duration  ${words.integer(9000)}ms`,
      };
    case 2:
      return {
        command: 'npx tsc -p . --noEmit',
        description: 'Check the types',
        output: failed
          ? repeat(
              () =>
                `${words.favourite(project.files).path}(${1 + words.integer(200)},${1 + words.integer(60)}): error TS2345: Argument of type '${words.favourite(project.names)}' is not assignable to parameter of type '${words.favourite(project.names)}'.`,
            )
          : '',
      };
    case 3:
      return {
        command: `git diff ${file.path}`,
        description: 'Show what changed',
        output: `diff --git a/${file.path} b/${file.path}\nindex ${words.hex(7)}..${words.hex(7)} 100644\n--- a/${file.path}\n+++ b/${file.path}\n@@ -1,${file.lines.length} +1,${file.lines.length} @@\n${excerpt(
          file,
          0,
          characters,
        )
          .map((line) => (words.chance(0.1) ? `-${line}\n+${line} // ${words.word()}` : ` ${line}`))
          .join('\n')}`,
      };
    case 4:
      return {
        command: 'ls -la src/*',
        description: 'List the sources',
        output: repeat(
          () =>
            `-rw-r--r-- 1 user user ${String(words.integer(90_000)).padStart(6)} Nov 12 10:${10 + words.integer(50)} ${words.favourite(project.files).path}`,
        ),
      };
    case 5:
      return {
        command: `curl -s localhost:3000/api/${name} | jq .`,
        description: 'Ask the service',
        output: jsonLines(words, 2 + characters / 28, project.names).join('\n'),
      };
    default:
      return {
        command: `npm run start -- --${name} 2>&1 | tail -50`,
        description: 'Start the service and look at its log',
        output: repeat(
          () =>
            `2026-11-12T10:${10 + words.integer(50)}:${10 + words.integer(50)}.${100 + words.integer(900)}Z ${words.chance(0.1) ? 'WARN' : 'INFO'} [${words.favourite(project.names)}] ${words.word()} ${words.word()} ${words.word()} id=${words.integer(100_000)} took=${words.integer(900)}ms`,
        ),
      };
  }
}
