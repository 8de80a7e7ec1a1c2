/**
 * What a shell command writes. Text of transcripts goes through `plain`, so that no control sequence of theirs reaches the
 * person's terminal; colour is only used on a terminal, and never with NO_COLOR.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

type In = Readable & { readonly isTTY?: boolean };
type Out = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export class Terminal {
  readonly width: number;
  readonly #out: Out;
  readonly #errors: Out;
  readonly #colour: boolean;
  readonly #in: In | undefined;
  #progress = false;

  /** Without `input` nobody can be asked. */
  constructor(out: Out, errors: Out, variables: NodeJS.ProcessEnv, input?: In) {
    this.#out = out;
    this.#errors = errors;
    this.#in = input;
    // A terminal that was told no size says 0.
    this.width = out.columns === undefined || out.columns === 0 ? 120 : out.columns;
    this.#colour = out.isTTY === true && (variables['NO_COLOR'] ?? '') === '' && variables['TERM'] !== 'dumb';
  }

  line(text = ''): void {
    this.#out.write(`${text}\n`);
  }
  json(value: unknown): void {
    this.#out.write(`${JSON.stringify(value, null, this.#out.isTTY === true ? 2 : 0)}\n`);
  }
  /** To standard error. */
  note(text: string): void {
    this.#endProgress();
    this.#errors.write(`${text}\n`);
  }
  /** A person sits there: they see standard error, and can answer. */
  get canAsk(): boolean {
    return this.#in?.isTTY === true && this.#errors.isTTY === true;
  }
  /** The line that is typed; '' when the input ends instead. */
  ask(question: string): Promise<string> {
    this.#endProgress();
    const input = this.#in;
    if (input === undefined) return Promise.resolve('');
    return new Promise((resolve) => {
      const lines = createInterface({ input, output: this.#errors });
      lines.once('close', () => resolve(''));
      // An interrupt is an answer, too: nothing is done.
      lines.once('SIGINT', () => lines.close());
      lines.question(question, (line) => {
        resolve(line);
        lines.close();
      });
    });
  }
  /** One line of standard error that is written over again; nothing where that is no terminal. */
  progress(text: string | null): void {
    if (this.#errors.isTTY !== true) return;
    if (text === null) return this.#endProgress();
    this.#errors.write(`\r\u001b[K${text}`);
    this.#progress = true;
  }
  dim(text: string): string {
    return this.#colour ? `\u001b[2m${text}\u001b[22m` : text;
  }
  bold(text: string): string {
    return this.#colour ? `\u001b[1m${text}\u001b[22m` : text;
  }
  red(text: string): string {
    return this.#colour ? `\u001b[31m${text}\u001b[39m` : text;
  }
  green(text: string): string {
    return this.#colour ? `\u001b[32m${text}\u001b[39m` : text;
  }

  #endProgress(): void {
    if (!this.#progress) return;
    this.#progress = false;
    this.#errors.write('\r\u001b[K');
  }
}

/** Without control characters, ANSI sequences and direction overrides; newlines and tabs stay. */
export function plain(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/gu, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu, '');
}

export function oneLine(text: string, most: number): string {
  const line = plain(text).replace(/\s+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`;
}

/** "2026-11-30 11:00", in the machine's zone. */
export function dayAndTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** "12 s", "3 min", "4 h", "6 d" */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (then === 0) return '';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
