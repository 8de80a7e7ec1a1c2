/**
 * A program in a pseudo-terminal, through util-linux `script`: for what the real agents only do interactively (their
 * pickers, an open idle session). Text is what came out, with control sequences taken off: good for "it shows X".
 */
import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { Skip } from './check.mjs';
import { start } from './run-agent.mjs';

const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Throws `Skip` where there is no such `script`. */
export function startTerminal(argv, { cwd, env, rows = 45, columns = 140 }) {
  const version = spawnSync('script', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0 || !/util-linux/.test(version.stdout)) throw new Skip('no util-linux `script` for a pseudo-terminal');
  const line = `stty rows ${rows} cols ${columns}; exec ${argv.map(quoted).join(' ')}`;
  const child = start(['script', '-qefc', line, '/dev/null'], { cwd, env });
  answerQueries(child);
  const text = () => plain(child.stdout());
  return { ...child, text, type: (keys) => child.process.stdin.write(keys) };
}

/** Programs ask a terminal where its cursor is and what it can do, and wait for the answer. */
function answerQueries(child) {
  child.process.stdout.on('data', (output) => {
    for (const [query, answer] of Object.entries({ '\u001B[6n': '\u001B[1;1R', '\u001B[c': '\u001B[?1;2c' })) {
      if (output.includes(query)) child.process.stdin.write(answer);
    }
  });
}

/** A cursor that moves to a column leaves a blank, so that words stay apart. */
function plain(output) {
  const [first, ...rest] = output.split('\u001B[');
  const spaced = rest.map((part) => (/^\d*[CG]/.test(part) ? part.replace(/^\d*[CG]/, ' ') : `\u001B[${part}`));
  return stripVTControlCharacters([first, ...spaced].join('')).replace(/[ \t]+/g, ' ');
}
