/** The program's figures as lines, with their goals. */
import type { ColdImport, PlainRun } from './cold-import.ts';
import type { Answer, Compared } from './compared.ts';
import type { Corpus } from './corpus.ts';
import type { LedgerSize } from './ledger-size.ts';
import { median, medianOrNull, percentile } from './lines.ts';
import type { Line } from './lines.ts';
import type { LongTimeline } from './long-timeline.ts';
import type { ManySessions } from './many-sessions.ts';
import type { Openings } from './opening.ts';
import type { Rescan } from './rescan.ts';
import type { Asked, Searches } from './searches.ts';
import type { SingleFile } from './single-files.ts';

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
const ratio = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a / b);

export function importLines(
  corpus: Corpus,
  {
    plain,
    plainRows,
    imports,
  }: { readonly plain: readonly PlainRun[]; readonly plainRows: readonly PlainRun[]; readonly imports: readonly ColdImport[] },
): readonly Line[] {
  const wall = median(imports.map(({ wallMs }) => wallMs));
  const cpu = medianOrNull(imports.map(({ cpuMs }) => cpuMs));
  const plainWall = median(plain.map(({ wallMs }) => wallMs));
  const plainCpu = medianOrNull(plain.map(({ cpuMs }) => cpuMs));
  return [
    { name: 'cold import to the plain way with full text, wall', value: wall / plainWall, unit: 'x', goal: { most: 1 } },
    { name: 'the same, processor time', value: ratio(cpu, plainCpu), unit: 'x' },
    { name: 'cold import until the server rests, wall', value: wall / 1000, unit: 's' },
    { name: 'cold import, processor time', value: seconds(cpu), unit: 's' },
    { name: 'the plain way with full text, wall', value: plainWall / 1000, unit: 's' },
    { name: 'the plain way with full text, processor time', value: seconds(plainCpu), unit: 's' },
    { name: 'the plain way without full text, wall', value: median(plainRows.map(({ wallMs }) => wallMs)) / 1000, unit: 's' },
    { name: 'cold import', value: corpus.bytes / 1e3 / wall, unit: 'MB/s' },
    {
      name: 'everything read (server start to the list that says so)',
      value: median(imports.map(({ readMs }) => readMs)) / 1000,
      unit: 's',
    },
    {
      name: 'newest 200 threads listed, the newest one opened',
      value: median(imports.map(({ usableMs }) => usableMs)) / 1000,
      unit: 's',
      goal: { most: 2 },
    },
    { name: 'newest 20 threads listed', value: median(imports.map(({ first20Ms }) => first20Ms)) / 1000, unit: 's' },
    { name: 'messages made', value: corpus.messages, unit: '' },
    { name: 'entries imported', value: median(imports.map(({ entries }) => entries)), unit: '' },
    {
      name: 'peak memory of the importing server',
      value: medianOrNull(imports.map(({ peakMb }) => peakMb)),
      unit: 'MB',
      goal: { most: 300 },
    },
    {
      name: 'memory of the server at rest, 20 s later',
      value: medianOrNull(imports.map(({ restMb }) => restMb)),
      unit: 'MB',
      goal: { most: 120 },
    },
  ];
}

export function sizeLines(corpus: Corpus, { bytes, parts }: LedgerSize): readonly Line[] {
  const bySize = Object.entries(parts).toSorted(([, a], [, b]) => b - a);
  return [
    { name: 'ledger, archive and index to native bytes', value: bytes / corpus.bytes, unit: 'x', goal: { most: 0.6 } },
    ...bySize.map(([name, taken]) => ({ name: `  of that: ${name}`, value: taken / corpus.bytes, unit: 'x' })),
  ];
}

export function rescanLines(corpus: Corpus, passes: readonly Rescan[], liveMs: readonly number[]): readonly Line[] {
  const goal = { most: Math.max(50, (50 * corpus.files.length) / 1450) };
  return [
    { name: 'nothing new: asked of a server at rest', value: median(liveMs), unit: 'ms', goal },
    { name: 'nothing new: the first pass of a new process', value: median(passes.map(({ passMs }) => passMs)), unit: 'ms' },
    { name: 'nothing new: the program from start to end', value: median(passes.map(({ wallMs }) => wallMs)), unit: 'ms' },
  ];
}

export function searchLines({ rare, common }: Searches): readonly Line[] {
  const of = (what: string, { ms, cpuMs }: Asked, most: number): readonly Line[] => [
    { name: `search of ${what}, 95th of 100`, value: percentile(ms, 0.95), unit: 'ms', goal: { most } },
    { name: `search of ${what}, median`, value: median(ms), unit: 'ms' },
    { name: `search of ${what}, processor time of the server`, value: cpuMs, unit: 'ms' },
  ];
  return [...of('a rare word', rare, 5), ...of('two common words', common, 30)];
}

export function openLines({ timelineMs, batonMs, largestBatonMs }: Openings): readonly Line[] {
  return [
    { name: 'timeline of a thread opened', value: median(timelineMs), unit: 'ms' },
    { name: 'baton of a thread', value: median(batonMs), unit: 'ms', goal: { most: 100 } },
    { name: 'baton of the largest thread', value: largestBatonMs, unit: 'ms' },
  ];
}

export function appendLines(ms: readonly number[]): readonly Line[] {
  return [
    { name: 'append to timeline event, 95th of 100', value: percentile(ms, 0.95), unit: 'ms', goal: { most: 100 } },
    { name: 'append to timeline event, median', value: median(ms), unit: 'ms' },
    { name: 'append to timeline event, worst', value: Math.max(...ms), unit: 'ms' },
  ];
}

export function longLines({ entries, firstMs, againMs, olderMs }: LongTimeline): readonly Line[] {
  return [
    { name: `first screen of a thread of ${entries} entries`, value: firstMs, unit: 'ms', goal: { most: 100 } },
    { name: 'the same again, 95th of 100', value: percentile(againMs, 0.95), unit: 'ms' },
    { name: 'the page before it', value: olderMs, unit: 'ms' },
  ];
}

export function fileLines(line: SingleFile, huge: SingleFile): readonly Line[] {
  const size = huge.mb >= 1000 ? '1 GB' : `${huge.mb.toFixed(0)} MB`;
  return [
    { name: 'session with a line of 10 MB', value: line.mbPerSecond, unit: 'MB/s' },
    { name: 'peak memory with a line of 10 MB', value: line.peakMb, unit: 'MB', goal: { most: 300 } },
    { name: `one file of ${size}`, value: huge.mbPerSecond, unit: 'MB/s' },
    { name: `peak memory with a file of ${size}`, value: huge.peakMb, unit: 'MB', goal: { most: 300 } },
  ];
}

export function manyLines(many: ManySessions): readonly Line[] {
  const memory = many.restMb === null || many.emptyMb === null ? null : many.restMb - many.emptyMb;
  return [
    { name: `memory for ${many.files} old sessions, at rest`, value: memory, unit: 'MB', goal: { most: 100 } },
    { name: 'their server, at rest', value: many.restMb, unit: 'MB' },
    { name: 'their watches', value: many.watches, unit: '', goal: { most: 300 } },
    { name: 'their sweeps, processor time in 10 s', value: many.idleCpuMs, unit: 'ms', goal: { most: 500 } },
    { name: 'a full pass over them', value: many.fullPassMs, unit: 'ms' },
    { name: 'a new session beside the newest, until listed', value: many.newInHotMs, unit: 'ms' },
    { name: 'a new session beside the oldest, until listed', value: many.newInOldMs, unit: 'ms', goal: { most: 5000 } },
  ];
}

/** Tokens of every session: of a program of the field, and of Loom. */
export function comparedLines({ field, cold, warm }: Compared): readonly Line[] {
  const of = (who: string, { ms, cpuMs, peakMb, sessions }: Answer): readonly Line[] => [
    { name: `tokens by session (${sessions}): ${who}, wall`, value: ms, unit: 'ms' },
    { name: `tokens by session: ${who}, processor time`, value: cpuMs, unit: 'ms' },
    { name: `tokens by session: ${who}, peak memory`, value: peakMb, unit: 'MB' },
  ];
  return [
    ...of('loom threads, warm', warm),
    ...of('loom threads, from nothing', cold),
    ...('reason' in field
      ? [{ name: `tokens by session: no ccusage (${field.reason})`, value: null, unit: '' }]
      : [
          ...of('ccusage', field),
          { name: 'tokens told by loom to those told by ccusage', value: warm.tokens / field.tokens, unit: 'x' },
        ]),
  ];
}
