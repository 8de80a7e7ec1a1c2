/**
 * Stands in for VS Code and the panel inside the page: answers the webview's intents from made-up entries, and records
 * them. Runs in the browser. `window.timelinePage` steers it.
 */
import { hostileEntries, sampleConversations, sampleEntries, sampleThread } from './entries.mjs';

const wanted = new URLSearchParams(location.search);
const hostile = wanted.has('hostile');
const count = Number(wanted.get('count') ?? 200);
const all = hostile ? hostileEntries() : sampleEntries(count);
const future = hostile ? [] : sampleEntries(count + 500).slice(count);
const intents = [];
let first = all.length;

const say = (message) => setTimeout(() => window.dispatchEvent(new MessageEvent('message', { data: message })), 0);

const lease = { epoch: 1, holder: 'codex', since: Date.now() - 720_000 };
const conflict = { harness: 'claude', nativeId: 'c', conversation: 2, entries: 3, since: Date.now() - 60_000 };

const answers = {
  ready({ tail }) {
    first = Math.max(0, all.length - Math.max(300, tail));
    const title = hostile ? '"><img src=x onerror=window.__pwn=30>' : undefined;
    const over = {
      ...(wanted.has('gone') ? { sourceGone: true, live: false, driver: null, state: 'ended' } : {}),
      ...(wanted.has('handed') ? { returns: [{ harness: 'claude', turns: 2 }], lease } : {}),
      ...(wanted.has('conflict') ? { conflict, lease } : {}),
    };
    const thread = sampleThread(all.length, title === undefined ? over : { title, branch: title, cwd: title });
    const view = {
      kind: 'timeline',
      thread,
      conversation: 1,
      conversations: sampleConversations(all.length),
      entries: all.slice(first),
      older: first,
      readAt: 0,
    };
    window.timelinePage.view = view;
    say({ type: 'view', view, following: null, fresh: true });
  },
  older({ limit }) {
    if (wanted.has('stuck')) {
      say({ type: 'olderDone' });
      return;
    }
    const from = Math.max(0, first - limit);
    const entries = all.slice(from, first);
    first = from;
    setTimeout(
      () => {
        say({ type: 'events', events: [{ type: 'older', entries, older: first }] });
        say({ type: 'olderDone' });
      },
      Number(wanted.get('delay') ?? 5),
    );
  },
  find({ words }) {
    const low = words.toLowerCase();
    const hits = all.filter((entry) => JSON.stringify(entry).toLowerCase().includes(low)).slice(0, 1000);
    say({ type: 'found', words, hits: hits.map(({ id, conversation }) => ({ entry: id, conversation })), hint: null });
  },
  entry({ entry }) {
    say({ type: 'entry', entry: { ...all[entry - 1], clipped: false } });
  },
};

window.acquireVsCodeApi = () => ({
  postMessage(intent) {
    intents.push(intent);
    answers[intent.type]?.(intent);
  },
  setState(state) {
    window.timelinePage.state = state;
  },
});
window.timelinePage = {
  intents,
  say,
  all,
  state: null,
  append(number) {
    const entries = future.splice(0, number);
    all.push(...entries);
    say({ type: 'events', events: entries.map((entry) => ({ type: 'entry', entry })) });
  },
};
