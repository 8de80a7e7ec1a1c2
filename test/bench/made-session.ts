/** What every harness's made-up sessions are: an id, a place below the home, and rows without an end. */
import type { Words } from './words.ts';

export interface MadeRow {
  /** One line of the file, or several with line ends between them. */
  readonly line: string;
  /** How many prompts, answers, thoughts, calls and results it tells first. */
  readonly messages: number;
}
export interface MadeSession {
  readonly id: string;
  /** Relative to the home. */
  readonly path: string;
  readonly cwd: string;
  readonly rows: () => Generator<MadeRow>;
}
export interface SessionPlan {
  readonly seed: number;
  /** Number of the project. */
  readonly project: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** About how long a row takes, in milliseconds. */
  readonly pace: number;
  /** A word that no other session has. */
  readonly rare: string;
}

/** A prompt for the end of a session, as the harness writes what a person types. */
export interface Typed {
  readonly words: Words;
  readonly session: { readonly id: string; readonly cwd: string };
  /** The end of the file. */
  readonly tail: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A harness's clock: moments that go on, as text. */
export function clockOf(startedAt: number, random: () => number, pace: number): () => number {
  let at = startedAt;
  return () => (at += 1 + Math.floor(random() * 2 * pace));
}
