/**
 * Random conversations of the built-in kinds and a host's beside them, with calls and results, heads, edits and forks, against the
 * plain model: what the line accepts, what the context then is, on cold reads, warm handles and in watched views alike.
 */
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  assistantKind,
  builtInEntryKinds,
  handoffKind,
  noticeKind,
  resetKind,
  summaryKind,
  systemKind,
  toolResultKind,
  userKind,
} from './built-in/entry-kinds.ts';
import type { Message } from './built-in/messages.ts';
import { exchangesOf } from './built-in/normalize.ts';
import type { ContextEntry } from './context.ts';
import type { ConversationHandle } from './conversation.ts';
import { Rejected } from './errors.ts';
import { Kinds } from './kinds.ts';
import type { EntryKind } from './kinds.ts';
import type { Entry, Id } from './records.ts';
import { backends } from './testing/backends.ts';
import { ExchangeModel } from './testing/exchange-model.ts';
import { answered, bareHead, hostKinds, openTalk, part, prune, resultOf, said, windowHead } from './testing/talk.ts';
import type { WatchHandle } from './watch.ts';
import type { ConversationEvent, ConversationView } from './view.ts';

const talk = ['user', 'assistant', 'result', 'part', 'system', 'notice'] as const;
const heads = ['summary', 'window', 'bare_head', 'handoff', 'reset'] as const;
const edits = ['omit', 'replace'] as const;
interface Action {
  readonly type: (typeof talk | typeof heads | typeof edits)[number] | 'fork';
  /** Picks among what there is. */
  readonly a: number;
  readonly b: number;
}
interface Step {
  readonly conversation: number;
  readonly actions: readonly Action[];
}

const action = fc.record<Action>({
  type: fc.oneof<fc.WeightedArbitrary<Action['type']>[]>(
    { weight: 4, arbitrary: fc.constantFrom('assistant', 'result', 'result') },
    { weight: 4, arbitrary: fc.constantFrom(...talk) },
    { weight: 2, arbitrary: fc.constantFrom(...heads) },
    { weight: 1, arbitrary: fc.constantFrom(...edits) },
  ),
  a: fc.nat(1000),
  b: fc.nat(1000),
});
const forking = fc.record<Action>({ type: fc.constant('fork'), a: fc.nat(1000), b: fc.nat(1000) });
const step = fc.record<Step>({
  conversation: fc.nat(1000),
  actions: fc.oneof(
    { weight: 8, arbitrary: fc.array(action, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.tuple(forking) },
  ),
});

const history = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' });

const calls = ['a', 'b', 'c'];
/** Parts have calls of their own, so that every call that a message answers is a message's. */
const partCalls = ['p', 'q'];

function pick<T>(items: readonly T[], n: number): T | undefined {
  return items.length === 0 ? undefined : items[n % items.length];
}

interface Draft {
  readonly kind: EntryKind<unknown, Message>;
  readonly content: unknown;
}

/** Near the end, where something is open, as often as not. */
function place(ids: readonly Id[], a: number, b: number): Id {
  return pick(a % 2 === 0 ? ids.slice(-4) : ids, b) ?? 999;
}

function draft({ type, a, b }: Action, ids: readonly Id[], open: readonly string[], next: Id): Draft {
  const draftOf = <Content>(kind: EntryKind<Content, Message>, content: Content): Draft => ({
    kind,
    content,
  });
  const from = b % 5 === 0 ? next : place(ids, a, b);
  switch (type) {
    case 'user':
      return draftOf(userKind, said(`said ${b}`));
    case 'assistant':
      return draftOf(
        assistantKind,
        answered(
          `says ${b}`,
          [...calls, ...calls].slice(a % 3, (a % 3) + (b % 4)),
          pick(['toolUse', 'toolUse', 'error', 'aborted'] as const, a),
        ),
      );
    case 'result':
      if (open.length === 0 && b % 3 !== 0) return draftOf(userKind, said(`asks ${b}`));
      return draftOf(toolResultKind, resultOf(pick(b % 3 === 0 ? calls : open, a) ?? 'a', `result ${b}`));
    case 'part':
      return draftOf(
        part,
        pick(
          [
            { calls: [pick(partCalls, b) ?? ''] },
            { calls: partCalls },
            { answers: pick(partCalls, b) ?? '' },
            { starts: true as const },
            { governs: true as const },
          ],
          a,
        ) ?? {},
      );
    case 'system':
      return draftOf(systemKind, { ...(a % 2 === 0 ? { baseline: true as const } : {}), sections: [{ key: 'k', text: `${b}` }] });
    case 'notice':
      return draftOf(noticeKind, { text: `notice ${b}` });
    case 'summary':
      return draftOf(summaryKind, { text: `sum ${b}`, ...(from === next ? {} : { retainFrom: from }) });
    case 'window':
      return draftOf(windowHead, { from });
    case 'bare_head':
      return draftOf(bareHead, { from });
    case 'handoff':
      return draftOf(handoffKind, { text: `handed over ${b}` });
    case 'reset':
      return draftOf(resetKind, {});
    case 'omit':
      return draftOf(prune, { target: place(ids, a, b) });
    case 'replace':
      return draftOf(prune, { target: place(ids, a, b), text: `instead ${b}` });
    case 'fork':
      throw new Error('a fork is no entry');
  }
}

const kinds = new Kinds<Message>([...builtInEntryKinds<Message>(), ...hostKinds], []);

function plain(entries: readonly ContextEntry<Message>[]) {
  return entries.map(({ entry, messages }) => ({ id: entry.id, messages }));
}

/** What the line said, over all runs: a history in which it only ever says one thing proves nothing. */
const verdicts = new Map<string, number>();

async function play(steps: readonly Step[], backend: (typeof backends)[number]): Promise<void> {
  const engine = await openTalk(backend.open(onTestFinished).storage);
  const model = new ExchangeModel(kinds);
  const handles = new Map<Id, ConversationHandle<Message>>();
  const watches = new Map<Id, WatchHandle<ConversationView, ConversationEvent>>();
  const snapshots: { readonly taken: readonly ContextEntry<Message>[]; readonly text: string }[] = [];
  const begin = async (handle: ConversationHandle<Message>) => {
    handles.set(handle.id, handle);
    const watch = await handle.watch({ tail: 3 });
    watch.start(() => undefined);
    watches.set(handle.id, watch);
  };
  const root = await engine.root();
  model.create(root.id);
  await begin(root);

  for (const { conversation: n, actions } of steps) {
    const conversation = pick(model.conversations, n) ?? root.id;
    const ids = () => model.transcript(conversation).map(({ entry }) => entry.id);
    const [first] = actions;
    if (first?.type === 'fork') {
      const at = place([...ids(), 0], first.a, first.b);
      const fork = await engine.fork(conversation, at === 0 ? 'start' : at);
      model.create(fork.id, { conversationId: conversation, at });
      await begin(fork);
      continue;
    }
    const entries: Entry<unknown>[] = [];
    let refusal: string | undefined;
    let refused = '';
    for (const one of actions) {
      const id = engine.lastSeq + 1 + entries.length;
      const { kind, content } = draft(
        one,
        ids(),
        model.open(conversation).filter((call) => calls.includes(call)),
        id,
      );
      const entry = { id, conversationId: conversation, kind: kind.kind, content };
      if (refusal === undefined) {
        refusal = model.refusal(entry);
        refused = kind.kind;
      }
      model.add(entry);
      entries.push(entry);
    }
    const committed = engine
      .commit((tx) => entries.forEach(({ kind, content }) => void tx.entry(kinds.entry(kind), conversation, content)))
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Rejected ? error.code : error),
      );
    expect(await committed).toBe(refusal);
    const verdict = refusal === undefined ? 'accepted' : `${refusal} of ${refused}`;
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    if (refusal !== undefined) model.takeBack(entries.length);

    for (const [id, handle] of handles) {
      const expected = model.context(id);
      expect(plain(engine.contextEntries(id))).toEqual(expected);
      const taken = handle.contextEntries();
      expect(plain(taken)).toEqual(expected);
      expect(watches.get(id)?.view.context).toEqual(expected.map((one) => one.id));
      const at = pick(model.transcript(id), n)?.entry.id;
      if (at !== undefined) expect(plain(handle.contextEntries(at))).toEqual(model.context(id, at));
      snapshots.push({ taken, text: JSON.stringify(taken) });
      resultsHaveCalls(model, id, taken);
    }
  }
  for (const { taken, text } of snapshots) expect(JSON.stringify(taken)).toBe(text);
}

/** Where nothing went round the rules, no result of a context is without its call, and none is lost. */
function resultsHaveCalls(model: ExchangeModel<Message>, conversation: Id, context: readonly ContextEntry<Message>[]): void {
  if (model.transcript(conversation).some(({ kind }) => kind === bareHead || kind === prune)) return;
  const results = context.flatMap(({ entry }) => (toolResultKind.is(entry) ? [entry.id] : []));
  const placed = exchangesOf(context).flatMap(({ message, entry }) => (message.role === 'toolResult' ? [entry] : []));
  expect(placed.filter((entry) => entry !== undefined).toSorted((a, b) => a - b)).toEqual(results);
}

const runs = { memory: 60, jsonl: 6, sqlite: 8, packed: 6 };

test.each(backends)(
  'in $name the line accepts just what the rules allow, and contexts agree everywhere [2.2-11] [2.2-13] [2.3-7] [2.3-8] [7.3-8] [10.1-3]',
  async (backend) => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => play(steps, backend)),
      { seed: 19, numRuns: runs[backend.name], endOnFailure: true },
    );
    const refused = ['tool_result', 'part', 'summary', 'window', 'handoff', 'reset'].map((kind) => `exchange of ${kind}`);
    for (const verdict of ['accepted', ...refused, 'headMovesBack of summary', 'notVisible of prune'])
      expect(verdicts.get(verdict) ?? 0, verdict).toBeGreaterThan(5);
  },
);
