/**
 * Readings in a thread of their own, for bulk work: while this thread places and commits, that one reads, parses, translates and
 * compresses what comes next. Bounded: at most two batches of each reading wait. When the thread ends, for whatever reason, its
 * readings throw `ReadingLost`.
 */
import type { Worker } from 'node:worker_threads';
import { ReadHere, ReadingFailed, ReadingLost } from './reading.ts';
import type { Reading } from './reading.ts';
import { free, unpacked } from './reading-messages.ts';
import type { FromReader, PackedBatch, ToReader } from './reading-messages.ts';
import type { Opening, TranslatedBatch, TranslationRequest } from './translated-batch.ts';

export class ReadingThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #readings = new Map<number, ThreadReading>();
  #next = 1;
  #lost: string | undefined;
  #isUp = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('online', () => (this.#isUp = true));
    worker.on('message', (message: FromReader) => this.#readings.get(message.reading)?.hear(message));
    worker.on('error', (error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => this.#end(`it exited with ${code}`));
  }

  /** It has started and has not ended. */
  get isUp(): boolean {
    return this.#isUp && this.#lost === undefined;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  read(request: TranslationRequest): Reading {
    const number = this.#next++;
    const reading = new ThreadReading(request, {
      say: (message) => {
        if (this.#lost === undefined) this.#say({ ...message, reading: number });
      },
      closed: () => this.#readings.delete(number),
    });
    this.#readings.set(number, reading);
    if (this.#lost === undefined) this.#say({ type: 'open', reading: number, request });
    else reading.lose(this.#lost);
    return reading;
  }

  /** Whether no reading waits for a batch that it may have: what is there is all there will be until something is taken. */
  get isAhead(): boolean {
    for (const reading of this.#readings.values()) if (reading.isExpecting) return false;
    return true;
  }

  /** Native bytes of the batches that wait to be taken. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const reading of this.#readings.values()) bytes += reading.waitingBytes;
    return bytes;
  }

  /** Resolves when any reading has heard something. */
  heard(): Promise<void> {
    return Promise.race([...this.#readings.values()].map((reading) => reading.heard()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  #say(message: ToReader): void {
    this.#worker.postMessage(message, []);
  }

  #end(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    for (const reading of this.#readings.values()) reading.lose(why);
  }
}

interface Wire {
  readonly say: (message: { readonly type: 'more' | 'close' }) => void;
  readonly closed: () => void;
}

class ThreadReading implements Reading {
  readonly request: TranslationRequest;
  readonly #wire: Wire;
  readonly #waiting: PackedBatch[] = [];
  #opening: Opening | undefined;
  #ended = false;
  #expected = 2;
  #failure: Error | undefined;
  #hear: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(request: TranslationRequest, wire: Wire) {
    this.request = request;
    this.#wire = wire;
  }

  get isExpecting(): boolean {
    return !this.#ended && this.#failure === undefined && this.#expected > 0;
  }

  get waitingBytes(): number {
    return this.#waiting.reduce((sum, batch) => sum + batch.offset - batch.from, 0);
  }

  opening(): Opening | undefined {
    if (this.#opening === undefined && this.#failure !== undefined) throw this.#failure;
    return this.#opening;
  }

  take(): TranslatedBatch | 'later' | undefined {
    const batch = this.#waiting.shift();
    if (batch !== undefined) {
      if (!batch.last && !this.#ended) {
        this.#expected++;
        this.#wire.say({ type: 'more' });
      }
      return { ...unpacked(batch), free: () => free(batch) };
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#ended ? undefined : 'later';
  }

  async ready(): Promise<void> {
    const known = this.#opening !== undefined;
    while (this.#failure === undefined && !this.#ended && this.#waiting.length === 0 && (this.#opening !== undefined) === known)
      await this.#hear.promise;
  }

  heard(): Promise<void> {
    return this.#hear.promise;
  }

  hear(message: FromReader): void {
    switch (message.type) {
      case 'opened':
        this.#opening = message.opening;
        break;
      case 'batch':
        this.#expected--;
        this.#waiting.push(message.batch);
        break;
      case 'end':
        this.#ended = true;
        break;
      case 'failed':
        this.#failure = message.here ? new ReadHere(message.message) : new ReadingFailed(message.message);
        break;
    }
    this.#wake();
  }

  lose(why: string): void {
    this.#failure ??= new ReadingLost(`the thread that reads sources has ended: ${why}`);
    this.#wake();
  }

  [Symbol.dispose](): void {
    // What has ended is closed on the other side.
    if (!this.#ended) this.#wire.say({ type: 'close' });
    this.#wire.closed();
  }

  #wake(): void {
    this.#hear.resolve();
    this.#hear = Promise.withResolvers();
  }
}
