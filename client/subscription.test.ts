import { expect, test } from 'vitest';
import type { EventsNotification } from '../server/protocol/requests.ts';
import type { ViewEvent } from '../server/protocol/events.ts';
import type { ThreadsView, View } from '../server/protocol/views.ts';
import type { Link } from './link.ts';
import { Subscription } from './subscription.ts';

const view = (readAt: number): ThreadsView => ({
  kind: 'threads',
  threads: [],
  importing: null,
  harnesses: [],
  faults: [],
  readAt,
});
const event = (readAt: number): ViewEvent => ({ type: 'readAt', readAt });

/** The wire, by hand: requests wait until the test answers them. */
function wire(): {
  readonly link: Link;
  readonly asked: {
    readonly method: string;
    readonly params: { readonly subscription?: string };
    readonly answer: (view: View) => Promise<void>;
    readonly fail: () => Promise<void>;
  }[];
  readonly notify: (notification: EventsNotification) => void;
  readonly renew: () => void;
} {
  const asked: ReturnType<typeof wire>['asked'] = [];
  let onEvents: (notification: EventsNotification) => void = () => undefined;
  let onRenew = (): void => undefined;
  const settled = (act: () => void) => async (): Promise<void> => {
    act();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    asked,
    notify: (notification) => onEvents(notification),
    renew: () => onRenew(),
    link: {
      request: async <Result>(method: { readonly method: string }, params: unknown): Promise<Result> => {
        if (method.method === 'loom/unsubscribe') return null as Result;
        return new Promise<Result>((resolve, reject) => {
          asked.push({
            method: method.method,
            params: params as { readonly subscription?: string },
            answer: (answer) => settled(() => resolve(answer as Result))(),
            fail: settled(() => reject(new Error('no'))),
          });
        });
      },
      onEvents: (listener) => {
        onEvents = listener;
        return { dispose: () => undefined };
      },
      onRenew: (listener) => {
        onRenew = listener;
        return { dispose: () => undefined };
      },
    },
  };
}

function subscribed(): { readonly seen: string[]; readonly subscription: Subscription } & ReturnType<typeof wire> {
  const seen: string[] = [];
  const parts = wire();
  let names = 0;
  const subscription = new Subscription(
    parts.link,
    { kind: 'threads', all: false },
    {
      view: (one) => seen.push(`view ${one.readAt}`),
      events: (events) => seen.push(`events ${events.map((one) => (one.type === 'readAt' ? one.readAt : one.type)).join(' ')}`),
      failed: () => seen.push('failed'),
    },
    () => `s${(names += 1)}`,
  );
  void subscription.open();
  return { seen, subscription, ...parts };
}

test('events that come before their view wait for it', async () => {
  const { seen, asked, notify } = subscribed();
  notify({ subscription: 's1', seq: 1, events: [event(1)] });
  expect(seen).toEqual([]);
  await asked[0]?.answer(view(0));
  notify({ subscription: 's1', seq: 2, events: [event(2)] });
  expect(seen).toEqual(['view 0', 'events 1', 'events 2']);
});

test('a gap in the numbers begins a new subscription, and late events of the old one are dropped', async () => {
  const { seen, asked, notify } = subscribed();
  await asked[0]?.answer(view(0));
  notify({ subscription: 's1', seq: 3, events: [event(3)] });
  expect(asked[1]?.params.subscription).toBe('s2');
  notify({ subscription: 's1', seq: 4, events: [event(4)] });
  await asked[1]?.answer(view(4));
  notify({ subscription: 's2', seq: 1, events: [event(5)] });
  expect(seen).toEqual(['view 0', 'view 4', 'events 5']);
});

test('an event that was seen before is not handed on again', async () => {
  const { seen, asked, notify } = subscribed();
  await asked[0]?.answer(view(0));
  notify({ subscription: 's1', seq: 1, events: [event(1)] });
  notify({ subscription: 's1', seq: 1, events: [event(1)] });
  expect(seen).toEqual(['view 0', 'events 1']);
});

test('another owner of the ledger means a new subscription, also after a failure', async () => {
  const { seen, asked, renew } = subscribed();
  await asked[0]?.fail();
  renew();
  await asked[1]?.answer(view(7));
  expect(seen).toEqual(['failed', 'view 7']);
});

test('a paused subscription is not begun again by itself, and its answers are ignored', async () => {
  const { seen, asked, renew, subscription } = subscribed();
  subscription.pause();
  await asked[0]?.answer(view(0));
  renew();
  expect(seen).toEqual([]);
  expect(asked).toHaveLength(1);
  void subscription.open();
  await asked[1]?.answer(view(1));
  expect(seen).toEqual(['view 1']);
});

test('the name is there only while older pages can be asked for under it', async () => {
  const { asked, subscription } = subscribed();
  expect(subscription.name).toBeNull();
  await asked[0]?.answer(view(0));
  expect(subscription.name).toBe('s1');
  subscription.dispose();
  expect(subscription.name).toBeNull();
});
