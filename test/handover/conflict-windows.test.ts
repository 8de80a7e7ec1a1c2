/** Two windows at one ledger while a thread is in conflict. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { Seat } from '../../server/main/seat.ts';
import type { ViewEvent } from '../../server/protocol/events.ts';
import { requests } from '../../server/protocol/requests.ts';
import type { EventsNotification } from '../../server/protocol/requests.ts';
import type { ThreadView } from '../../server/protocol/views.ts';
import { goesOn } from './goes-on.ts';
import { homeWith, id, paramsOf } from './hand-over.ts';
import { prompt } from './read-home.ts';

/** Two windows at one ledger: the first owns it, the second forwards to it. What each hears of its list is kept. */
async function twoWindows() {
  const home = homeWith({ exchanges: [[prompt, 'Built.']] });
  // Without its program, Codex is there when it has left sessions.
  fs.mkdirSync(path.join(home, '.codex/sessions'), { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-ledger-'));
  const heard: ThreadView[][] = [[], []];
  const seats = heard.map((views) => ({
    views,
    seat: new Seat({
      folder,
      environment: environmentOf(home, {}, 'linux'),
      version: '0',
      follow: false,
      log: () => undefined,
      onChange: () => undefined,
      onEvents: (params) => keep(views, (params as unknown as EventsNotification).events),
    }),
  }));
  onTestFinished(async () => {
    for (const { seat } of seats.toReversed()) await seat.close();
    for (const made of [home, folder]) fs.rmSync(made, { recursive: true, force: true });
  });
  const windows = seats.map(({ seat, views }) => ({
    views,
    ask: <T>(method: string, params: Readonly<Record<string, JsonValue>>): Promise<T> =>
      seat.request(
        { events: (_subscription, _seq, events) => keep(views, events) },
        method,
        params,
      ) as Promise<unknown> as Promise<T>,
  }));
  const [first, second] = windows;
  if (first === undefined || second === undefined) throw new Error('no windows');
  await first.ask(requests.ingest.method, {});
  for (const window of windows)
    await window.ask(requests.subscribe.method, { subscription: 'list', kind: 'threads', all: false });
  return { home, first, second };
}

function keep(views: ThreadView[], events: readonly ViewEvent[]): void {
  for (const event of events) if (event.type === 'thread') views.push(event.thread);
}

test('both windows hear of a conflict, and of its end; when they choose differently at once, one choice counts', async () => {
  const { home, first, second } = await twoWindows();
  await first.ask(requests.continueIn.method, { ...paramsOf({}) });
  goesOn('claude', {
    file: path.join(home, '.claude/projects/-home-user-shop', `${id}.jsonl`),
    prompt: 'Paint it blue.',
    answer: 'Blue.',
    at: Date.UTC(2026, 11, 1),
  });
  await second.ask(requests.ingest.method, {});
  for (const { views } of [first, second])
    await expect.poll(() => views.at(-1)).toMatchObject({ harness: 'codex', conflict: { harness: 'claude', entries: 2 } });
  const thread = first.views.at(-1)?.id ?? '';
  const choose = (window: typeof first, choice: string) => window.ask(requests.endConflict.method, { thread, choice });
  const outcomes = await Promise.allSettled([choose(first, 'follow'), choose(second, 'keep')]);
  // At once: the second to come is told that the thread is being moved, or finds the conflict ended.
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ id: 'C008' });
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  for (const { views } of [first, second]) await expect.poll(() => views.at(-1)?.conflict).toBeNull();
  const [one, other] = [first.views.at(-1), second.views.at(-1)];
  expect(one?.lease).toEqual(other?.lease);
  expect([one?.lease?.epoch, one?.harness]).toEqual(one?.lease?.epoch === 2 ? [2, 'claude'] : [1, 'codex']);
  await expect(choose(second, 'neither')).rejects.toThrow();
  expect(await choose(second, 'follow')).toBeNull();
});
