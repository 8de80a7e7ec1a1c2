/**
 * Writes a home as people have it: at scale 1 1,450 session files with 485 MB and 440,000 messages of four harnesses, sizes log-normal
 * (most below 200 KB, few above 5 MB), spread over 40 projects and 90 days. Deterministic but for the end of its time span.
 */
import fs from 'node:fs';
import path from 'node:path';
import { claudeSession, claudeTyped } from './claude-session.ts';
import { codexSession, codexTyped } from './codex-session.ts';
import { geminiProject, geminiSession, geminiTyped } from './gemini-session.ts';
import type { MadeSession, SessionPlan, Typed } from './made-session.ts';
import { piSession, piTyped } from './pi-session.ts';
import { projectOf } from './project.ts';
import { rareWord } from './turns.ts';
import { Words } from './words.ts';

export type CorpusHarness = 'claude' | 'codex' | 'pi' | 'gemini';
export interface CorpusFile {
  readonly path: string;
  readonly harness: CorpusHarness;
  readonly id: string;
  readonly cwd: string;
  readonly bytes: number;
  readonly messages: number;
  /** A word that stands in its first prompt and nowhere else. */
  readonly rare: string;
}
export interface Corpus {
  readonly home: string;
  /** Newest first. */
  readonly files: readonly CorpusFile[];
  readonly bytes: number;
  readonly messages: number;
}

export const make: Readonly<Record<CorpusHarness, (plan: SessionPlan) => MadeSession>> = {
  claude: claudeSession,
  codex: codexSession,
  pi: piSession,
  gemini: geminiSession,
};
/** The lines that a harness writes for one more prompt. */
export const typed: Readonly<Record<CorpusHarness, (typed: Typed) => string>> = {
  claude: claudeTyped,
  codex: codexTyped,
  pi: piTyped,
  gemini: geminiTyped,
};
/** Who wrote each of twenty files. */
const shares: readonly CorpusHarness[] =
  'claude codex claude pi claude gemini claude codex claude pi claude codex claude gemini claude codex pi claude codex gemini'.split(
    ' ',
  ) as CorpusHarness[];

const fullFiles = 1450;
const fullBytes = 485_000_000;
const projectCount = 40;
const bytesOfRow = 1000;

export function writeCorpus(home: string, scale: number, now: number): Corpus {
  const words = new Words(4711);
  const count = Math.max(24, Math.round(fullFiles * scale));
  const sizes = Array.from({ length: count }, () => Math.min(30_000_000, Math.max(40_000, words.size(110_000, 1.35))));
  const factor = (fullBytes * scale) / sizes.reduce((sum, size) => sum + size, 0);
  const files = sizes.map((size, index): CorpusFile => {
    const harness = shares[index % shares.length] ?? 'claude';
    const updatedAt = now - Math.floor((index / count) * 90 * 86_400_000) - 60_000;
    const bytes = size * factor;
    const pace = 5000;
    const startedAt = updatedAt - Math.min(20 * 86_400_000, Math.round((bytes / bytesOfRow) * pace) + 60_000);
    const session = make[harness]({
      seed: index * 10 + 1,
      project: index % projectCount,
      startedAt,
      pace: (updatedAt - startedAt) / (1.4 * (bytes / bytesOfRow) + 10),
      rare: rareWord(index),
    });
    const file = path.join(home, session.path);
    const written = writeSession(file, session, { bytes }, updatedAt);
    return { path: file, harness, id: session.id, cwd: session.cwd, ...written, rare: rareWord(index) };
  });
  nameGeminiProjects(home);
  return corpusOf(home, files);
}

function corpusOf(home: string, files: readonly CorpusFile[]): Corpus {
  const sum = (of: (file: CorpusFile) => number): number => files.reduce((all, file) => all + of(file), 0);
  return { home, files, bytes: sum(({ bytes }) => bytes), messages: sum(({ messages }) => messages) };
}

function nameGeminiProjects(home: string): void {
  const projects = Array.from({ length: projectCount }, (_, number) => projectOf(number).cwd);
  const named = Object.fromEntries(projects.map((cwd) => [cwd, geminiProject(cwd)]));
  fs.mkdirSync(path.join(home, '.gemini'), { recursive: true });
  fs.writeFileSync(path.join(home, '.gemini/projects.json'), JSON.stringify({ projects: named }));
}

/** A corpus of an earlier run, with what was appended to it meanwhile; undefined when there is none of this scale in the folder. */
export function keptCorpus(home: string, scale: number): Corpus | undefined {
  const list = listOf(home);
  if (!fs.existsSync(list)) return undefined;
  const kept = JSON.parse(fs.readFileSync(list, 'utf8')) as { readonly scale: number; readonly files: readonly CorpusFile[] };
  if (kept.scale !== scale) return undefined;
  const files = kept.files.map((file) => {
    const at = path.join(home, file.path);
    return { ...file, path: at, bytes: fs.statSync(at).size };
  });
  return corpusOf(home, files);
}

export function keepCorpus({ home, files }: Corpus, scale: number): void {
  const relative = files.map((file) => ({ ...file, path: path.relative(home, file.path) }));
  fs.writeFileSync(listOf(home), JSON.stringify({ scale, files: relative }));
}

const listOf = (home: string): string => path.join(home, 'corpus.json');

/** Streams rows to a file until it has about so many bytes or messages; holds at most one block of 1 MB. */
export function writeSession(
  file: string,
  session: MadeSession,
  most: { readonly bytes?: number; readonly messages?: number },
  updatedAt: number,
): { readonly bytes: number; readonly messages: number } {
  const { bytes: mostBytes = Infinity, messages: mostMessages = Infinity } = most;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const descriptor = fs.openSync(file, 'w');
  let bytes = 0;
  let messages = 0;
  let block: string[] = [];
  let blockLength = 0;
  const flush = (): void => {
    bytes += fs.writeSync(descriptor, block.join(''));
    block = [];
    blockLength = 0;
  };
  for (const row of session.rows()) {
    block.push(row.line, '\n');
    blockLength += row.line.length + 1;
    messages += row.messages;
    const full = bytes + blockLength >= mostBytes || messages >= mostMessages;
    if (full || blockLength >= 1_048_576) flush();
    if (full) break;
  }
  fs.closeSync(descriptor);
  fs.utimesSync(file, updatedAt / 1000, updatedAt / 1000);
  return { bytes, messages };
}
