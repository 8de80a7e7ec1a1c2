/**
 * A git that stays and gives objects of one store, so that no process is started for each question. It is started by the first one, ends
 * after a while without any, and when this process ends; while nobody waits for an answer it keeps nothing alive. Objects that come while
 * it runs are found; of what is dropped it may know more than is there until it is closed.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';

export interface FoundObject {
  readonly id: string;
  readonly type: string;
  /** Bytes of the content. */
  readonly size: number;
  /** null: it is larger than what was asked for. */
  readonly content: Buffer | null;
}
/** In the order of the names; null: there is no such object. */
export type Found = readonly (FoundObject | null)[];

interface Question {
  readonly names: readonly string[];
  readonly most: number;
  readonly found: (FoundObject | null)[];
  readonly resolve: (found: Found | undefined) => void;
}

/** From a turn's start to its end, and from one turn to the next. */
const idleMs = 5 * 60_000;
/** Without a word while somebody waits. */
const slowMs = 60_000;

export class ObjectReader {
  readonly #start: () => ChildProcessWithoutNullStreams;
  #git: ChildProcessWithoutNullStreams | undefined;
  readonly #questions: Question[] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that have to be there before it is worth looking, and bytes to come that nobody wants. */
  #needed = 1;
  #skipped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `start`: `git cat-file --batch`. */
  constructor(start: () => ChildProcessWithoutNullStreams) {
    this.#start = start;
  }

  /** By ids, or `TREE:PATH`, with their content up to `most` bytes each. undefined: git failed, or a name has a newline in it. */
  ask(names: readonly string[], most = Number.MAX_SAFE_INTEGER): Promise<Found | undefined> {
    if (names.length === 0) return Promise.resolve([]);
    if (names.some((name) => name.includes('\n'))) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#put({ names, most, found: [], resolve }));
  }

  /** Starts it before it is needed. */
  warm(): void {
    this.#running();
    this.#wait();
  }

  /** What was asked for and is not answered yet is asked anew. */
  close(): void {
    for (const question of this.#end()) this.#put({ ...question, found: [] });
  }

  #put(question: Question): void {
    const git = this.#running();
    this.#questions.push(question);
    this.#wait();
    git.stdin.write(Buffer.from(question.names.map((name) => `${name}\n`).join(''), 'latin1'));
  }

  #fail(): void {
    for (const { resolve } of this.#end()) resolve(undefined);
  }

  /** Answers what was not answered. */
  #end(): readonly Question[] {
    const git = this.#git;
    this.#git = undefined;
    clearTimeout(this.#timer);
    git?.kill('SIGKILL');
    this.#chunks = [];
    this.#size = 0;
    this.#needed = 1;
    this.#skipped = 0;
    return this.#questions.splice(0);
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#git !== undefined) return this.#git;
    const git = this.#start();
    this.#git = git;
    const ended = (): void => {
      if (this.#git === git) this.#fail();
    };
    git.on('error', ended);
    git.on('close', ended);
    git.stdin.on('error', ended);
    git.stderr.resume();
    git.stdout.on('data', (chunk: Buffer) => {
      if (this.#git === git) this.#read(chunk);
    });
    return git;
  }

  #read(chunk: Buffer): void {
    const unwanted = Math.min(this.#skipped, chunk.length);
    this.#skipped -= unwanted;
    this.#chunks.push(chunk.subarray(unwanted));
    this.#size += chunk.length - unwanted;
    if (this.#size < this.#needed) return this.#wait();
    const bytes = Buffer.concat(this.#chunks);
    this.#needed = 1;
    let at = 0;
    for (let question = this.#questions[0]; question !== undefined; question = this.#questions[0]) {
      const line = bytes.indexOf(0x0a, at);
      if (line < 0) break;
      // `ID TYPE SIZE`, the content and a newline; or the name and what is wrong with it.
      const [, id = '', type = '', size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/u.exec(bytes.toString('latin1', at, line)) ?? [];
      const end = size === undefined ? line : line + 1 + Number(size);
      const isWanted = Number(size ?? 0) <= question.most;
      if (isWanted && end + 1 > bytes.length) {
        this.#needed = end + 1 - at;
        break;
      }
      const content = isWanted ? Buffer.from(bytes.subarray(line + 1, end)) : null;
      question.found.push(size === undefined ? null : { id, type, size: Number(size), content });
      this.#skipped = Math.max(0, end + 1 - bytes.length);
      at = Math.min(end + 1, bytes.length);
      if (question.found.length < question.names.length) continue;
      this.#questions.shift();
      question.resolve(question.found);
    }
    this.#chunks = [bytes.subarray(at)];
    this.#size = bytes.length - at;
    this.#wait();
  }

  /** Only while somebody waits for an answer does it keep this process alive. */
  #wait(): void {
    const isIdle = this.#questions.length === 0;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(), isIdle ? idleMs : slowMs);
    const git = this.#git;
    const held = [this.#timer, git, ...([git?.stdin, git?.stdout, git?.stderr] as (Socket | undefined)[])];
    for (const one of held) {
      if (isIdle) one?.unref();
      else one?.ref();
    }
  }
}
