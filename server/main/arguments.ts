/** The command line: global options, the command's own, and what is left. Wrong usage is a value, not an exception. */
import { parseArgs } from 'node:util';
import { packingOrder } from '../baton/packing-order.ts';
import { version } from './version.ts';

export interface Parsed {
  readonly command: string;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}
export interface Usage {
  readonly usage: string;
  /** The person asked for it: it is the answer, and nothing was wrong. */
  readonly asked?: true;
}

const globals = {
  ledger: { type: 'string' },
  home: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options of each command; a command that is not named here does not exist. */
export const commands: Readonly<
  Record<
    string,
    {
      readonly options: Readonly<Record<string, { type: 'string' | 'boolean' }>>;
      readonly arguments: string;
      readonly does: string;
      /** What options stand for that are given without their value. */
      readonly optional?: Readonly<Record<string, string>>;
      /** Told only where help of this command alone is asked for. */
      readonly more?: string;
    }
  >
> = {
  ingest: {
    options: { watch: { type: 'boolean' }, 'no-snapshots': { type: 'boolean' } },
    arguments: '',
    does: 'read everything new once (--watch goes on, and takes snapshots of worktrees around turns)',
  },
  threads: {
    options: { harness: { type: 'string' }, cwd: { type: 'string' }, live: { type: 'boolean' }, all: { type: 'boolean' } },
    arguments: '',
    does: 'list threads, newest first',
  },
  show: {
    options: { conversation: { type: 'string' }, after: { type: 'string' }, limit: { type: 'string' }, raw: { type: 'boolean' } },
    arguments: 'THREAD',
    does: 'the timeline of a thread',
  },
  context: { options: { at: { type: 'string' } }, arguments: 'THREAD', does: 'what a model would be given' },
  search: {
    options: {
      harness: { type: 'string' },
      cwd: { type: 'string' },
      kind: { type: 'string' },
      since: { type: 'string' },
      until: { type: 'string' },
      limit: { type: 'string' },
    },
    arguments: 'WORDS…',
    does: 'full-text search over all threads; --since and --until take a date or how long ago (2026-03-01, 7d)',
  },
  baton: {
    options: { to: { type: 'string' }, budget: { type: 'string' }, since: { type: 'string' } },
    arguments: 'THREAD',
    does: 'the hand-over packet; --budget in tokens (2000), --since ENTRY: what came after it, for a harness that drove until then',
    more: packingOrder,
  },
  continue: {
    options: {
      in: { type: 'string' },
      native: { type: 'boolean' },
      return: { type: 'boolean' },
      prompt: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      yes: { type: 'boolean' },
      always: { type: 'boolean' },
      wait: { type: 'string' },
      launch: { type: 'boolean' },
      force: { type: 'boolean' },
    },
    optional: { wait: '600' },
    arguments: 'THREAD --in HARNESS',
    does: 'continue a thread in another harness, in the best way there is',
    more: [
      '  --return   go back to the session that the thread was in before there: only what is new is put behind its end',
      '  --native   write a new session with the whole history; into Antigravity only so, and not verified',
      '  --prompt   start the program on a file that holds the baton',
      '  --dry-run  show what would leave, and do nothing',
      '  --yes      agree that this leaves for another vendor; without a terminal, running the command is the agreement',
      '  --always   agree to it for these two agents in this folder from now on',
      '  --wait     wait until the thread is idle, for some seconds (600), and then go',
      '  --launch   start the program here',
      '  --force    fork from the last recorded state of a thread that is in use',
    ].join('\n'),
  },
  conflicts: {
    options: {},
    arguments: 'list|keep|follow',
    does: 'threads whose earlier session went on although another agent holds them, and ending that',
    more: [
      '  list           all of them, the oldest first',
      '  keep THREAD    who holds it keeps it; what the other session wrote stays a branch of its own',
      '  follow THREAD  the session that went on gets the thread, and its branch becomes the current one',
    ].join('\n'),
  },
  consents: {
    options: { cwd: { type: 'string' }, all: { type: 'boolean' } },
    arguments: 'list|forget',
    does: 'what was agreed to for good (--always): threads of which agent may go to which other vendor, by folder',
    more: [
      '  list    [--cwd DIR]: what is agreed to, the oldest first',
      '  forget  --cwd DIR, or --all: it is asked again from then on',
    ].join('\n'),
  },
  snapshot: {
    options: {
      cwd: { type: 'string' },
      thread: { type: 'string' },
      limit: { type: 'string' },
      stat: { type: 'boolean' },
      turn: { type: 'string' },
      before: { type: 'string' },
      after: { type: 'string' },
      path: { type: 'string' },
      hunk: { type: 'string' },
      'dry-run': { type: 'boolean' },
      force: { type: 'boolean' },
      overwrite: { type: 'boolean' },
    },
    arguments: 'take|list|diff|restore',
    does: "what each turn did to a worktree's files: kept, compared, taken back",
    more: [
      '  take     [--cwd DIR]: keep the worktree as it is now',
      '  list     [--thread THREAD] [--cwd DIR] [--limit N]: snapshots, newest first; of a thread also what each turn did',
      '  diff     A [B] [--stat]: between two snapshots; without B, between A and the files as they are',
      '  restore  --thread THREAD --turn N, or --before A --after B: take back what lies between them, and nothing else',
      '           [--path P [--hunk N]]   only this file, or one part of it',
      '           [--dry-run]             only show what would change',
      '           [--force]               although an agent is at work there',
      '           [--overwrite]           also where later changes would be lost',
    ].join('\n'),
  },
  'restore-native': {
    options: { to: { type: 'string' }, 'in-place': { type: 'boolean' }, earlier: { type: 'boolean' } },
    arguments: 'THREAD',
    does: 'write the native session files of a thread back, byte for byte, from the archive: into a new folder, below --to, or where they lay',
  },
  mcp: {
    options: {},
    arguments: '',
    does: 'the MCP server that an agent starts to read threads: tools loom_read, loom_list and loom_search, on standard input and output',
    more: [
      '  claude mcp add --scope user loom -- loom mcp',
      '  codex mcp add loom -- loom mcp',
      '  pi mcp add loom --exposure direct -- loom mcp',
      '',
      '  Not for OpenClaw, whose agents answer people of chats: it is refused.',
    ].join('\n'),
  },
  doctor: {
    options: { deep: { type: 'boolean' } },
    arguments: '',
    does: 'what is installed, found and broken, and the fix for each',
  },
};

export function parseCommandLine(argv: readonly string[]): Parsed | Usage {
  const at = argv.findIndex((word, i) => !word.startsWith('-') && !takesValue(argv[i - 1]));
  const name = at < 0 ? undefined : argv[at];
  if (name === undefined && (argv.includes('--version') || argv.includes('-v'))) return { usage: version, asked: true };
  if (name === undefined)
    return argv.includes('--help') || argv.includes('-h') || argv.length === 0
      ? { usage: help(), ...(argv.length === 0 ? {} : { asked: true as const }) }
      : { usage: `No command given.\n\n${help()}` };
  const command = commands[name];
  if (command === undefined) return { usage: `Unknown command: ${name}\n\n${help()}` };
  try {
    const { values, positionals } = parseArgs({
      args: withValues([...argv.slice(0, at), ...argv.slice(at + 1)], command.optional ?? {}),
      options: { ...globals, ...command.options },
      allowPositionals: true,
      strict: true,
    });
    const options = values as Readonly<Record<string, string | boolean | undefined>>;
    if (options['help'] === true)
      return { usage: [helpOf(name), command.more].filter((text) => text !== undefined).join('\n\n'), asked: true };
    if (command.arguments === '' && positionals.length > 0)
      return { usage: `loom ${name} takes no arguments, not "${positionals.join(' ')}".\n\n${usageOf(name)}` };
    return { command: name, positionals, options };
  } catch (error) {
    if (error instanceof TypeError) return { usage: `${error.message}\n\n${usageOf(name)}` };
    throw error;
  }
}

/** An option that may stand without its value has one, and so takes no word that is not a number. */
function withValues(argv: readonly string[], optional: Readonly<Record<string, string>>): string[] {
  return argv.map((word, i) => {
    const value = word.startsWith('--') ? optional[word.slice(2)] : undefined;
    return value === undefined || /^\d+$/u.test(argv[i + 1] ?? '') ? word : `${word}=${value}`;
  });
}

/** A word behind one of the global options that take a value is no command. */
function takesValue(word: string | undefined): boolean {
  return word === '--ledger' || word === '--home';
}

export function help(): string {
  const rows = Object.keys(commands).map((name) => `  ${helpOf(name).replaceAll('\n', '\n    ')}`);
  return `loom: one ledger for the sessions of all your coding agents\n\n${rows.join('\n')}\n\nEverywhere: [--ledger DIR] [--home DIR] [--json]; --help, --version\nA THREAD is named by its id, a unique beginning of it, or a native session id.`;
}

/** How a command is written, and below it what it does. */
function helpOf(name: string): string {
  return `${usageOf(name)}\n  ${commands[name]?.does ?? ''}`;
}

function usageOf(name: string): string {
  const { arguments: args = '', options = {} } = commands[name] ?? {};
  const flags = Object.entries(options)
    .filter(([flag]) => !args.includes(`--${flag} `))
    .map(([flag, { type }]) => (type === 'string' ? `[--${flag} …]` : `[--${flag}]`));
  return ['loom', name, args, ...flags].filter((word) => word !== '').join(' ');
}
