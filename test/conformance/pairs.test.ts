/**
 * Every ordered pair of harnesses: what is read of every home, written by every writer and read back by the target's own reader is the
 * portable part of what was read. Losses are those that the writer declares (shuttles/contract/shuttle.ts); anything else fails. The
 * last test prints the table of pairs.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { portableMessages } from '../../server/drive/portable.ts';
import { tipOf } from '../../server/drive/position.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import { harnessIds } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import { lossKinds } from '../../shuttles/contract/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { HomeLedger } from '../home-ledger.ts';
import { homes, TempFolder } from './facts/homes.ts';
import { carry, faultsOf, isTarget } from './pairs/carry.ts';
import { conversations } from './pairs/generated.ts';

const targets = shuttles.filter(isTarget);
/** Threads carried, by `from to`. */
const carriedThreads = new Map<string, number>();

interface Portable {
  readonly thread: string;
  readonly harness: HarnessId;
  readonly messages: readonly Message[];
}

async function portableOf(home: HomeLedger): Promise<readonly Portable[]> {
  await home.catchUp();
  const { ledger } = home;
  const out: Portable[] = [];
  for (const thread of ledger.threads.newest(10_000)) {
    const tip = tipOf(await ledger.engine(thread.session), thread);
    if (tip === undefined) continue;
    const messages = portableMessages(await contextOf(ledger, thread.session, thread.current_conversation, tip));
    if (messages.some(({ role }) => role === 'user' || role === 'assistant'))
      out.push({ thread: thread.id, harness: thread.harness, messages });
  }
  return out;
}

describe.each([...homes()])('%s', (_name, make) => {
  test('arrives in every harness that can be written', async () => {
    using folder = new TempFolder();
    make(folder.path);
    await using home = new HomeLedger(folder.path);
    for (const { thread, harness, messages } of await portableOf(home))
      for (const target of targets) {
        expect(faultsOf(target, messages), `${harness} thread ${thread} in ${target.harness}`).toEqual([]);
        const pair = `${harness} ${target.harness}`;
        carriedThreads.set(pair, (carriedThreads.get(pair) ?? 0) + 1);
      }
  });
});

describe.each(targets.map((target) => [target.harness, target] as const))('%s', (_name, target) => {
  test('any conversation arrives, or is lost as declared', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const faults = faultsOf(target, messages);
        expect(faults).toEqual([]);
        const text = Buffer.from(carry(target, messages).written.bytes).toString('utf8');
        expect(text).not.toMatch(/HIDDEN (?:THOUGHT|SIGNATURE)/u);
      }),
      { seed: 20_261_130, numRuns: 150 },
    );
  });

  test('the same request gives the same bytes', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        expect(Buffer.compare(carry(target, messages).written.bytes, carry(target, messages).written.bytes)).toBe(0);
      }),
      { seed: 7, numRuns: 20 },
    );
  });

  test('its losses are of known kinds, each once, in whole sentences', () => {
    const kinds = target.write.losses.map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
    for (const { kind, text } of target.write.losses) {
      expect(lossKinds).toContain(kind);
      expect(text).toMatch(/^\p{Lu}.+\.$/u);
    }
  });
});

/** Going there and coming back loses nothing more than going there. */
describe.each(
  targets.flatMap((a) => targets.filter((b) => b !== a).map((b) => [`${a.harness} and back from ${b.harness}`, a, b] as const)),
)('%s', (_name, a, b) => {
  test('what was in its own form is in it again', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const there = carry(a, messages).back.slice(1);
        expect(faultsOf(b, there)).toEqual([]);
      }),
      { seed: 99, numRuns: 25 },
    );
  });
});

test('every pair was carried', () => {
  const missing = harnessIds
    .flatMap((from) => targets.map((to) => `${from} ${to.harness}`))
    .filter((pair) => !carriedThreads.has(pair));
  expect(missing).toEqual([]);
});

afterAll(() => {
  const rows = harnessIds.map(
    (from) =>
      `${from.padEnd(12)}${targets.map((to) => String(carriedThreads.get(`${from} ${to.harness}`) ?? 0).padStart(10)).join('')}`,
  );
  console.log(['threads carried'.padEnd(12) + targets.map((to) => to.harness.padStart(10)).join(''), ...rows].join('\n'));
});
