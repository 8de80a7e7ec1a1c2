/**
 * Random histories under the eyes of watchers: entries, heads, edits, state, input, tasks, output, forks, deletions, usage. Whoever watches
 * since whenever, here or from another process by JSON alone, sees after every step what a fresh capture sees.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bound, conversationValue, sessionValue } from './address.ts';
import type { ConversationHandle } from './conversation.ts';
import { Engine } from './engine.ts';
import { inbox } from './inbox.ts';
import { MemoryStorage } from './memory/storage.ts';
import type { Id } from './records.ts';
import { applyEvents, applySessionEvents } from './reducer.ts';
import { edit, entryKinds, note, reset, silent, summary, taskKinds, work } from './testing/kinds.ts';
import { Puppet } from './testing/puppet.ts';
import type { ConversationEvent, ConversationView, SessionEvent, SessionView } from './view.ts';
import type { WatchHandle } from './watch.ts';

const actions = [
  'note',
  'note',
  'silent',
  'edit',
  'summary',
  'reset',
  'config',
  'unset',
  'asked',
  'session',
  'queue',
  'queue',
  'dequeue',
  'usage',
  'task',
  'patch',
  'own',
  'settle',
  'successor',
  'play',
  'stream',
  'stream',
  'stream',
  'mutate',
  'mutate',
  'retry',
  'ends',
  'fork',
  'delete',
  'watch',
  'watch',
  'leave',
  'resnapshot',
] as const;
interface Step {
  readonly action: (typeof actions)[number];
  readonly a: number;
}
const history = fc.array(fc.record<Step>({ action: fc.constantFrom(...actions), a: fc.nat() }), { minLength: 20, maxLength: 60 });
const asked = conversationValue<number>('asked', { rewind: true });
const name = sessionValue<number>('name');
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function pick<T>(items: readonly T[], n: number): T | undefined {
  return items.length === 0 ? undefined : items[n % items.length];
}

/** One subscription, and what another process has of it. */
class Follower {
  readonly conversation: Id;
  readonly watch: WatchHandle<ConversationView, ConversationEvent>;
  there: ConversationView;

  constructor(conversation: Id, watch: WatchHandle<ConversationView, ConversationEvent>) {
    this.conversation = conversation;
    this.watch = watch;
    this.there = asJson(watch.view);
    watch.startCommits((events) => (this.there = applyEvents(this.there, asJson(events))));
  }

  async resnapshot(): Promise<void> {
    await this.watch.resnapshot();
    this.there = asJson(this.watch.view);
  }
}

class Play {
  readonly engine: Engine<string>;
  readonly puppet: Puppet;
  readonly session: { readonly watch: WatchHandle<SessionView, SessionEvent>; there: SessionView };
  readonly followers: Follower[] = [];
  readonly #conversations: ConversationHandle<string>[];
  #played: { readonly conversation: Id; readonly task: Id }[] = [];

  private constructor(
    engine: Engine<string>,
    puppet: Puppet,
    root: ConversationHandle<string>,
    watch: WatchHandle<SessionView, SessionEvent>,
  ) {
    this.engine = engine;
    this.puppet = puppet;
    this.#conversations = [root];
    this.session = { watch, there: asJson(watch.view) };
    watch.startCommits((events) => (this.session.there = applySessionEvents(this.session.there, asJson(events))));
  }

  static async open(): Promise<Play> {
    const puppet = new Puppet();
    const engine = await Engine.open(new MemoryStorage(), { entryKinds, taskKinds: [...taskKinds, puppet.kind] });
    const root = await engine.root();
    void engine.drive().catch(() => undefined);
    return new Play(engine, puppet, root, await engine.watch({ values: [name] }));
  }

  async step({ action, a }: Step): Promise<void> {
    const on = pick(this.#conversations, a);
    if (on === undefined) return;
    const ids = on.entries({ limit: 99 }).items.map(({ id }) => id);
    const played = pick(this.#played, a);
    const live = this.engine.tasks({ conversationIds: [on.id], live: true, kind: 'work', limit: 99 }).items;
    const task = pick(live, a)?.id;
    switch (action) {
      case 'note':
        return on.commit((tx) => {
          for (let i = 0; i <= a % 3; i++) tx.entry(note, { text: `${a}` });
        });
      case 'silent':
        return void (await on.commit((tx) => tx.entry(silent, { text: 'aside' })));
      case 'edit': {
        const target = pick(ids, a);
        if (target === undefined) return;
        return on.commit((tx) => {
          tx.entry(edit, { target, ...(a % 2 === 0 ? { replacement: 'edited' } : {}) });
          tx.entry(note, { text: 'behind the edit' });
        });
      }
      case 'summary': {
        const retainFrom = ids.at(-1);
        return void (await on.commit((tx) =>
          tx.entry(summary, { text: 's', ...(retainFrom === undefined ? {} : { retainFrom }) }),
        ));
      }
      case 'reset':
        return void (await on.commit((tx) => tx.entry(reset, { why: 'clear' })));
      case 'config':
        return on.config(this.puppet.kind).set({ model: `model ${a % 4}`, effort: a });
      case 'unset':
        return on.config(this.puppet.kind).set({ effort: undefined });
      case 'asked':
        return on.value(asked).set(a);
      case 'session':
        return a % 4 === 0 ? this.engine.value(name).delete() : this.engine.value(name).set(a);
      case 'queue':
        return void (await on.list(inbox).append({ mode: 'steer', message: `${a}` }));
      case 'dequeue': {
        const element = pick(on.list(inbox).read().items, a);
        return element === undefined ? on.list(inbox).clear() : on.list(inbox).remove(element.id);
      }
      case 'usage':
        return on.commit((tx) => tx.usage({ cost: a % 9 }));
      case 'task':
        return void (await on.commit((tx) => tx.task(work, { state: { step: a } })));
      case 'patch':
        return task === undefined
          ? undefined
          : on.commit((tx) => tx.patch(task, { state: { note: `${a}` }, ...(a % 3 === 0 ? { status: 'running' } : {}) }));
      case 'own': {
        if (task === undefined || this.#conversations.length > 4) return;
        const child = await this.engine.commit((tx) => tx.createConversation({ owner: task }));
        return this.#take(child);
      }
      case 'settle':
        return task === undefined ? undefined : on.commit((tx) => tx.settle(task, 'done'));
      case 'successor':
        if (task === undefined) return;
        return on.commit((tx) => {
          tx.settle(task, 'failed');
          tx.task(work, { state: { step: a } });
          tx.entry(note, { text: 'between' });
        });
      case 'play': {
        const id = await on.commit((tx) => tx.task(this.puppet.kind, { state: {} }));
        this.#played.push({ conversation: on.id, task: id });
        return void (await this.puppet.running(id));
      }
      case 'stream':
        return played === undefined ? undefined : this.puppet.stream(played.task, `${a % 10}`);
      case 'mutate':
        return played === undefined ? undefined : this.#mutate(played.task, a);
      case 'retry':
        if (played === undefined) return;
        await this.puppet.putOff(played.task, 'retry_wait', { attempt: a });
        return void (await this.puppet.running(played.task));
      case 'ends':
        if (played === undefined) return;
        this.#played = this.#played.filter((one) => one !== played);
        return this.puppet.settle(played.task);
      case 'fork':
        if (this.#conversations.length < 5) this.#conversations.push(await on.fork(pick(ids, a) ?? 'start'));
        return;
      case 'delete':
        return this.#delete(on);
      case 'watch':
        return void this.followers.push(new Follower(on.id, await this.#watch(on.id)));
      case 'leave':
        return this.#leave(pick(this.followers, a));
      case 'resnapshot': {
        const follower = pick(this.followers, a);
        return follower === undefined || follower.watch.view.deleted ? undefined : follower.resnapshot();
      }
    }
  }

  /** What everybody has against what is captured now. */
  async compare(): Promise<void> {
    for (const { id } of this.#conversations) {
      const fresh = await this.#watch(id);
      await Promise.resolve();
      for (const { conversation, watch, there } of this.followers) {
        expect(there).toEqual(watch.view);
        if (conversation === id) expect(at0(watch.view)).toEqual(at0(fresh.view));
      }
      fresh.unsubscribe();
    }
    const fresh = await this.engine.watch({ values: [name] });
    expect(this.session.there).toEqual(this.session.watch.view);
    expect(at0(this.session.watch.view)).toEqual(at0(fresh.view));
    fresh.unsubscribe();
  }

  #leave(follower: Follower | undefined): void {
    follower?.watch.unsubscribe();
    if (follower !== undefined) this.followers.splice(this.followers.indexOf(follower), 1);
  }

  async #watch(conversation: Id): Promise<WatchHandle<ConversationView, ConversationEvent>> {
    return this.engine.watch(conversation, { tail: 4, values: [bound(asked, conversation)] });
  }

  #take(conversation: Id): void {
    const handle = this.engine.conversation(conversation);
    if (handle !== undefined) this.#conversations.push(handle);
  }

  async #mutate(task: Id, a: number): Promise<void> {
    const context = await this.puppet.running(task);
    const { preview } = context;
    const { state } = preview;
    if (a % 5 === 0) preview.state = { text: state.text, lines: ['anew'] };
    else if (a % 5 === 1) state.details = { a, deep: { list: [a] } };
    else if (a % 5 === 2) delete state.details;
    else state.lines.splice(a % (state.lines.length + 1), a % 2, `line ${a}`);
    if (a % 2 === 0) await context.scratch(() => undefined);
  }

  async #delete(on: ConversationHandle<string>): Promise<void> {
    if (this.#conversations.indexOf(on) === 0 || this.engine.tasks({ live: true, limit: 1 }).items.length > 0) return;
    await this.engine.deleteConversation(on.id);
    const left = new Set(this.engine.conversations().items.map(({ id }) => id));
    for (let i = this.#conversations.length - 1; i >= 0; i--)
      if (!left.has(this.#conversations[i]?.id ?? 0)) this.#conversations.splice(i, 1);
  }
}

function at0<View extends { readonly readAt: Id }>(view: View): View {
  return { ...view, readAt: 0 };
}

test('whoever watches since whenever sees what a fresh capture sees, here and from events as JSON [9.4-1] [9.4-5] [9.4-13] [9.4-17]', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const play = await Play.open();
      for (const step of steps) {
        await play.step(step);
        await play.compare();
      }
      await play.engine.close();
    }),
    { seed: 17, numRuns: 30 },
  );
});
