/**
 * The built program from outside. One corpus and, of the last import, one ledger serve all parts that need them; what is asked of a
 * server at rest is asked of one server, one thing after another.
 */
import fs from 'node:fs';
import path from 'node:path';
import { appendLatencies } from './appends.ts';
import { batonLines, batons } from './batons.ts';
import { coldImport, plainWay } from './cold-import.ts';
import type { ColdImport, PlainRun } from './cold-import.ts';
import { compared } from './compared.ts';
import type { Corpus } from './corpus.ts';
import { keepCorpus, keptCorpus, writeCorpus } from './corpus.ts';
import { ledgerSize } from './ledger-size.ts';
import type { Line } from './lines.ts';
import { longTimeline } from './long-timeline.ts';
import { manySessions } from './many-sessions.ts';
import { openings } from './opening.ts';
import { mcpLines, mcpStart } from './mcp-start.ts';
import type { PartName } from './parts.ts';
import { buildMeasured } from './program.ts';
import * as report from './program-lines.ts';
import { liveRescans, rescan } from './rescan.ts';
import { searches } from './searches.ts';
import { withSettledServer } from './settled-server.ts';
import type { Settled } from './settled-server.ts';
import { hugeFile, longLine } from './single-files.ts';
import { snapshotFigures, snapshotLines } from './snapshots.ts';
import { inFolder } from './temp-folder.ts';

export interface ProgramBenchOptions {
  /** 1: 1,450 files, 485 MB and 440,000 messages. */
  readonly scale: number;
  readonly repeats: number;
  readonly appends: number;
  readonly parts: ReadonlySet<PartName>;
  /** Folder whose corpus is used, or written if it has none of this scale, and kept; null: a temp folder. */
  readonly corpus: string | null;
  /** The same of the ledger: one that is there already is used as it is by the parts that need one, unless `import` makes it anew. */
  readonly ledger: string | null;
  readonly build: boolean;
  readonly say: (text: string) => void;
}
export interface ProgramBench {
  readonly lines: readonly Line[];
  readonly samples: object;
  /** Parts that could not be measured, and why. */
  readonly failures: readonly string[];
}

/** Collects what the parts find. A part that fails does not take the others' figures with it. */
class Findings {
  readonly lines: Line[] = [];
  readonly samples: Record<string, object> = {};
  readonly failures: string[] = [];

  async part(name: string, work: () => Promise<{ readonly lines: readonly Line[]; readonly samples: object }>): Promise<void> {
    try {
      const { lines, samples } = await work();
      this.lines.push(...lines);
      this.samples[name] = samples;
    } catch (error) {
      this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const needCorpus: readonly PartName[] = ['import', 'rescan', 'search', 'append', 'open', 'compare'];

export async function benchProgram(options: ProgramBenchOptions): Promise<ProgramBench> {
  const { parts, scale, say } = options;
  if (options.build) buildMeasured();
  const found = new Findings();
  if (needCorpus.some((part) => parts.has(part)))
    await inFolder(async (temp) => {
      const corpus = corpusFor(options, path.join(temp, 'home'));
      await onCorpus(options, corpus, options.ledger ?? path.join(temp, 'ledger'), found);
    });
  if (parts.has('long')) {
    say('a thread of 100,000 entries');
    await found.part('long', async () => {
      const samples = await longTimeline(Math.max(2000, Math.round(100_000 * scale)));
      return { lines: report.longLines(samples), samples };
    });
  }
  if (parts.has('baton')) {
    say('the baton of 100,000 entries');
    await found.part('baton', async () => {
      const samples = await batons(Math.max(2000, Math.round(100_000 * scale)));
      return { lines: batonLines(samples), samples };
    });
  }
  if (parts.has('world')) {
    const files = Math.max(500, Math.round(20_000 * scale));
    say(`snapshots of a worktree of ${files} files`);
    await found.part('world', async () => {
      const samples = await snapshotFigures(files);
      return { lines: snapshotLines(samples), samples };
    });
  }
  if (parts.has('mcp')) {
    say('the start of the MCP server');
    await found.part('mcp', async () => {
      const samples = await mcpStart(9);
      return { lines: mcpLines(samples), samples };
    });
  }
  if (parts.has('files')) {
    say('one line of 10 MB, one file of 1 GB');
    await found.part('files', async () => {
      const line = await longLine(10_000_000);
      const huge = await hugeFile(Math.round(1_000_000_000 * scale));
      return { lines: report.fileLines(line, huge), samples: { line, huge } };
    });
  }
  if (parts.has('many')) {
    const folders = Math.max(50, Math.round(1000 * scale));
    say(`${folders * 100} old sessions in ${folders} folders, watched over`);
    await found.part('many', async () => {
      const samples = await manySessions(folders, 100);
      return { lines: report.manyLines(samples), samples };
    });
  }
  return found;
}

/** The order matters: what changes the corpus comes last. */
async function onCorpus(options: ProgramBenchOptions, corpus: Corpus, ledger: string, found: Findings): Promise<void> {
  const { parts, say } = options;
  const { home } = corpus;
  found.samples['corpus'] = { files: corpus.files.length, bytes: corpus.bytes, messages: corpus.messages };
  if (parts.has('import'))
    await found.part('import', async () => {
      const rounds = await imports(corpus, ledger, options.repeats, true, say);
      const size = ledgerSize(ledger);
      return {
        lines: [...report.importLines(corpus, rounds), ...report.sizeLines(corpus, size)],
        samples: { ...rounds, size },
      };
    });
  else if (!fs.existsSync(ledger)) await imports(corpus, ledger, 1, false, say);
  if (parts.has('rescan')) {
    say('nothing new');
    await found.part('rescan', async () => {
      const passes = [];
      for (let n = 0; n < 5; n++) passes.push(await rescan(home, ledger));
      const live = await withSettledServer(home, ledger, (settled) => liveRescans(settled, 20));
      return { lines: report.rescanLines(corpus, passes, live), samples: { passes, live } };
    });
  }
  if (parts.has('compare')) {
    say('beside a program of the field');
    await found.part('compare', async () => {
      const samples = await compared(home, ledger, say);
      return { lines: report.comparedLines(samples), samples };
    });
  }
  const live: readonly PartName[] = ['search', 'open', 'append'];
  if (live.some((part) => parts.has(part)))
    await withSettledServer(home, ledger, (settled) => atRest(options, corpus, settled, found));
}

async function atRest(
  { parts, appends, say }: ProgramBenchOptions,
  corpus: Corpus,
  settled: Settled,
  found: Findings,
): Promise<void> {
  if (parts.has('search')) {
    say('searches');
    await found.part('search', async () => {
      const samples = await searches(corpus, settled, 200);
      return { lines: report.searchLines(samples), samples };
    });
  }
  if (parts.has('open')) {
    say('threads opened, batons');
    await found.part('open', async () => {
      const samples = await openings(corpus, settled);
      return { lines: report.openLines(samples), samples };
    });
  }
  if (parts.has('append')) {
    say(`${appends} appends`);
    await found.part('append', async () => {
      const samples = await appendLatencies(corpus, settled, appends);
      return { lines: report.appendLines(samples), samples };
    });
  }
}

export interface Rounds {
  readonly plain: readonly PlainRun[];
  readonly plainRows: readonly PlainRun[];
  readonly imports: readonly ColdImport[];
}

/** The ledger of the last round stays. */
async function imports(
  corpus: Corpus,
  ledger: string,
  repeats: number,
  beside: boolean,
  say: (text: string) => void,
): Promise<Rounds> {
  const rounds = { plain: [] as PlainRun[], plainRows: [] as PlainRun[], imports: [] as ColdImport[] };
  for (let round = 1; round <= repeats; round++) {
    if (beside) {
      say(`round ${round} of ${repeats}: the plain way`);
      rounds.plain.push(await plainWay(corpus.home, 'fts'));
      if (round === 1) rounds.plainRows.push(await plainWay(corpus.home, 'rows'));
    }
    say(`round ${round} of ${repeats}: the server on an empty ledger, until it rests`);
    fs.rmSync(ledger, { recursive: true, force: true });
    rounds.imports.push(await coldImport(corpus, ledger));
  }
  return rounds;
}

function corpusFor({ corpus: folder, scale, say }: ProgramBenchOptions, temp: string): Corpus {
  const home = folder === null ? temp : path.resolve(folder);
  const known = keptCorpus(home, scale);
  if (known !== undefined) return told(known, say);
  if (fs.existsSync(home) && fs.readdirSync(home).length > 0)
    throw new Error(`${home} holds something else than a corpus of scale ${scale}. Name another folder, or remove it.`);
  say(`writing a corpus at scale ${scale}`);
  const corpus = writeCorpus(home, scale, Date.now());
  keepCorpus(corpus, scale);
  return told(corpus, say);
}

function told(corpus: Corpus, say: (text: string) => void): Corpus {
  say(`${corpus.files.length} files, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${corpus.messages} messages`);
  return corpus;
}
