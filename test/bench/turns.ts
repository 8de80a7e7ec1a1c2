/**
 * What happens in a made-up session, in no harness's words: a person asks, an agent thinks, says what it does, reads, searches, runs and
 * edits in a project, and answers. The files of the harnesses write it down, each in its own shape.
 */
import { codeLines } from './project.ts';
import type { Project, SourceFile } from './project.ts';
import { excerpt, numbered, ran, searched } from './outputs.ts';
import type { Words } from './words.ts';

export type Action =
  | { readonly kind: 'read'; readonly file: SourceFile; readonly from: number; readonly lines: readonly string[] }
  | { readonly kind: 'search'; readonly pattern: string }
  | { readonly kind: 'run'; readonly command: string; readonly description: string }
  | {
      readonly kind: 'edit';
      readonly file: SourceFile;
      readonly from: number;
      readonly old: readonly string[];
      readonly fresh: readonly string[];
    };

export interface Step {
  readonly thinking: string | null;
  readonly said: string | null;
  readonly action: Action;
  readonly output: string;
  readonly failed: boolean;
}
export interface Turn {
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly answer: string;
  /** Tokens of the prompt side and of the answer, of each call of the model. */
  readonly tokens: () => { readonly input: number; readonly cached: number; readonly output: number };
}

/** A word of one session alone, for a search of something seldom. */
export function rareWord(index: number): string {
  return `zq${index.toString(36).padStart(4, '0')}lodestar`;
}

/** Outputs are mostly short, and a few very long. */
const medianOutput = 320;
const longestOutput = 60_000;

/** Endless. `rare` stands in the first prompt. */
export function* turns(words: Words, project: Project, rare: string): Generator<Turn> {
  // The few files that this session is about.
  const begin = words.integer(project.files.length);
  const files = Array.from(
    { length: 8 },
    (_, n) => project.files[(begin + n * 3) % project.files.length] ?? words.pick(project.files),
  );
  const read = new Map<string, number>();
  let context = 9000;
  const tokens = (): { input: number; cached: number; output: number } => {
    const output = 20 + words.integer(900);
    const one = { input: 3 + words.integer(900), cached: context, output };
    context = context > 160_000 ? 20_000 : context + one.input + output;
    return one;
  };
  for (let number = 0; ; number++) {
    const marked = number === 0 ? ` ${rare}` : '';
    const prompt = `${words.prose(Math.min(3000, words.size(130, 0.9)), project.names)}${marked}`;
    const steps: Step[] = [];
    for (let left = 1 + words.integer(9); left > 0; left--) {
      const failed = words.chance(0.08);
      const size = Math.min(longestOutput, words.size(medianOutput, 1.25));
      const { action, output } = act(words, project, files, read, size, failed);
      steps.push({
        thinking: words.chance(0.3) ? words.prose(words.size(110, 0.7), project.names) : null,
        said: words.chance(0.35) ? words.prose(words.size(60, 0.5), project.names) : null,
        action,
        output,
        failed,
      });
    }
    yield { prompt, steps, answer: words.prose(Math.min(6000, words.size(420, 0.8)), project.names), tokens };
  }
}

function act(
  words: Words,
  project: Project,
  files: readonly SourceFile[],
  read: Map<string, number>,
  size: number,
  failed: boolean,
): { readonly action: Action; readonly output: string } {
  const kind = words.random();
  const file = words.favourite(files);
  if (kind < 0.3) {
    // The same part again as often as another one.
    const from = words.chance(0.5) ? (read.get(file.path) ?? 0) : words.integer(Math.max(1, file.lines.length - 10));
    read.set(file.path, from);
    const lines = excerpt(file, from, size * 1.4);
    return { action: { kind: 'read', file, from, lines }, output: numbered(lines, from) };
  }
  if (kind < 0.45) {
    const pattern = words.favourite(project.names);
    return { action: { kind: 'search', pattern }, output: searched(words, project, pattern, size) };
  }
  if (kind < 0.62) {
    const from = words.integer(Math.max(1, file.lines.length - 6));
    const old = file.lines.slice(from, from + 1 + words.integer(4));
    const fresh = [...old.slice(0, -1), ...codeLines(words, 2 + words.integer(5), project.names).slice(1)];
    return {
      action: { kind: 'edit', file, from, old, fresh },
      output: `The file ${project.cwd}/${file.path} has been updated successfully.`,
    };
  }
  const { command, description, output } = ran(words, project, size, failed);
  return { action: { kind: 'run', command, description }, output };
}
