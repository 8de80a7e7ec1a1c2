/**
 * The program `loom`: from a shell what the extension does from the editor, over the same modules (design of the command line:
 * README). Standard output carries the answer alone, with --json one document whatever happens; progress and logs go to standard error.
 * Exit status: 0 done, 1 an expected failure (one line: what and what to do), 2 wrong usage.
 */
import { parseCommandLine } from './arguments.ts';
import type { Parsed } from './arguments.ts';
import { Fault } from '../protocol/faults.ts';
import { refuseOldRuntime } from './runtime.ts';
import { plain, Terminal } from './terminal.ts';

const terminal = new Terminal(process.stdout, process.stderr, process.env, process.stdin);

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseCommandLine(argv);
  if ('usage' in parsed) {
    if (parsed.asked === true) {
      terminal.line(parsed.usage);
      return 0;
    }
    return wrongUsage(parsed.usage, argv.includes('--json'));
  }
  const json = parsed.options['json'] === true;
  try {
    return await run(parsed);
  } catch (error) {
    if (error instanceof Fault) {
      if (json) terminal.json({ error: { id: error.id, message: error.message, fix: error.fix } });
      // A folder of a transcript may be named in it: one line, and nothing that a terminal obeys.
      const told = plain(error.message.replaceAll(/[\r\n]+/gu, ' '));
      terminal.note(`${error.id}: ${/[.!?]$/u.test(told) ? told : `${told}.`} ${error.fix}`);
      return 1;
    }
    if (error instanceof UsageError) return wrongUsage(error.message, json);
    if (json) terminal.json({ error: { id: null, message: error instanceof Error ? error.message : String(error), fix: null } });
    throw error;
  }
}

function wrongUsage(message: string, json: boolean): number {
  if (json) terminal.json({ error: { id: 'usage', message, fix: 'See `loom --help`.' } });
  terminal.note(plain(message));
  return 2;
}

/** Wrong usage that only the command itself can see. */
class UsageError extends Error {}

async function run(parsed: Parsed): Promise<number> {
  refuseOldRuntime();
  if (parsed.command === 'mcp') {
    const { runMcp } = await import('./mcp.ts');
    await runMcp(parsed, (line) => terminal.note(line));
    return 0;
  }
  const { runCommand } = await import('./run-command.ts');
  const outcome = await runCommand(parsed, terminal);
  if ('usage' in outcome) throw new UsageError(outcome.usage);
  if (outcome.launch === undefined) return outcome.status;
  const { launch } = await import('./launch.ts');
  return launch(outcome.launch);
}

// A closed pipe (`loom show … | head`) is no failure; a full disk is an expected one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  terminal.note(`Standard output cannot be written: ${error.code ?? error.message}`);
  process.exit(1);
});

async function start(): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  }
}
void start();
