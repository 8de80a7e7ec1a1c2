/** What a person waits for while an agent works: from the end of a write to a session's file until the entry is in a subscriber's timeline. */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { typed } from './corpus.ts';
import type { Corpus, CorpusFile, CorpusHarness } from './corpus.ts';
import type { LiveServer } from './live-server.ts';
import type { Settled } from './settled-server.ts';
import { Words } from './words.ts';

/** Milliseconds of each append, one after another over the newest sessions of every harness. The corpus gets longer by them. */
export async function appendLatencies(corpus: Corpus, { server, threadOf }: Settled, count: number): Promise<readonly number[]> {
  const words = new Words(99);
  const harnesses: readonly CorpusHarness[] = ['claude', 'codex', 'pi', 'gemini'];
  const newest = harnesses.map((harness) => corpus.files.filter((file) => file.harness === harness).slice(0, 5));
  const out: number[] = [];
  for (let index = 0; index < count; index++) {
    const own = newest[index % harnesses.length] ?? [];
    const file = own[(index >> 2) % own.length];
    if (file === undefined) continue;
    // Not in step with anything that the server does at a pace of its own.
    await delay(50 + words.integer(250));
    out.push(await latency(server, file, threadOf(file), words, index));
  }
  return out;
}

async function latency(server: LiveServer, file: CorpusFile, thread: string, words: Words, index: number): Promise<number> {
  const text = `appendmark${index} ${words.hex(8)}`;
  const subscription = `follow${index}`;
  await server.subscribe({ subscription, kind: 'timeline', thread, conversation: null, tail: 5 });
  const lines = typed[file.harness]({ words, session: file, tail: tailOf(file.path), text, at: Date.now() });
  fs.appendFileSync(file.path, `${lines}\n`);
  const written = performance.now();
  await server.until(
    subscription,
    (view) => view.kind === 'timeline' && view.entries.some((entry) => entry.kind === 'user' && entry.text.includes(text)),
    30_000,
  );
  const ms = performance.now() - written;
  await server.unsubscribe(subscription);
  return ms;
}

function tailOf(file: string): string {
  const size = fs.statSync(file).size;
  const buffer = Buffer.alloc(Math.min(size, 400_000));
  const descriptor = fs.openSync(file, 'r');
  fs.readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
  fs.closeSync(descriptor);
  return buffer.toString('utf8');
}
