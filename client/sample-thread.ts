/** A thread view for tests, with what a test cares about put over it. */
import type { ThreadView } from '../server/protocol/views.ts';

export function sampleThread(over: Partial<ThreadView> = {}): ThreadView {
  return {
    id: 't1',
    title: 'Fix double charge race',
    harness: 'claude',
    surface: 'cli',
    cwd: '/home/user/shop',
    repo: null,
    branch: null,
    createdAt: 0,
    updatedAt: Date.UTC(2026, 8, 10, 12, 0, 0),
    turns: 14,
    entries: 120,
    live: false,
    state: 'idle',
    driver: null,
    automation: false,
    archived: false,
    sourceGone: false,
    importedFrom: null,
    parent: null,
    native: [{ harness: 'claude', id: 'n1', path: '/home/user/.claude/projects/shop/n1.jsonl' }],
    children: [],
    model: null,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    lease: null,
    conflict: null,
    returns: [],
    stopped: null,
    ...over,
  };
}
