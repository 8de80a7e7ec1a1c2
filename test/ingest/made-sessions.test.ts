/** The sessions that the benchmark measures with: Loom must read them whole, or the figures would be of something else. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { allEntries } from '../../server/ledger/transcript.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { make, typed, writeSession } from '../bench/corpus.ts';
import type { CorpusHarness } from '../bench/corpus.ts';
import { Words } from '../bench/words.ts';
import { HomeLedger } from '../home-ledger.ts';

/** Prompts, answers, thoughts, calls and results. */
function messagesIn(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, entry) => {
    if (entry.kind === 'assistant') return sum + entry.content.content.length;
    return entry.kind === 'user' || entry.kind === 'tool_result' ? sum + 1 : sum;
  }, 0);
}

const harnesses: readonly CorpusHarness[] = ['claude', 'codex', 'pi', 'gemini'];
for (const harness of harnesses) {
  test(`a made-up session of ${harness} is read whole, every message of it once, and goes on with what is typed`, async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-made-'));
    try {
      const startedAt = Date.UTC(2026, 10, 2);
      const session = make[harness]({ seed: 5, project: 2, startedAt, pace: 2000, rare: 'lodestar' });
      const file = path.join(home, session.path);
      const { messages } = writeSession(file, session, { bytes: 300_000 }, startedAt + 9_000_000);
      await using ledger = new HomeLedger(home);
      const report = await ledger.catchUp();
      expect(report).toMatchObject({ opaque: 0, threads: 1, warnings: [] });
      const read = async (): Promise<readonly LedgerEntry[]> => {
        const [thread] = ledger.ledger.threads.newest(2);
        return thread === undefined ? [] : allEntries(ledger.ledger, thread.session, thread.current_conversation);
      };
      expect(messagesIn(await read())).toBe(messages);
      const [thread] = ledger.ledger.threads.newest(1);
      expect(thread?.usage_output).toBeGreaterThan(1000);
      expect(ledger.ledger.documents.match('"lodestar"', {}, 10)).toHaveLength(1);

      const tail = fs.readFileSync(file, 'utf8');
      const text = 'one more thing';
      fs.appendFileSync(file, `${typed[harness]({ words: new Words(1), session, tail, text, at: startedAt + 9_100_000 })}\n`);
      await ledger.catchUp();
      expect((await read()).filter(({ kind }) => kind === 'user').at(-1)?.content).toMatchObject({
        content: [{ type: 'text', text }],
      });
      expect(ledger.ledger.threads.newest(5)).toHaveLength(1);
    } finally {
      fs.rmSync(home, { recursive: true, force: true });
    }
  });
}
