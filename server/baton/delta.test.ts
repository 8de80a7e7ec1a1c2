/** The baton for a harness that drove before: what came since leads, what it knows is not repeated, the person's rules still stand. */
import { expect, test } from 'vitest';
import { compileBaton } from './testing-compile.ts';
import { renderBaton } from './render.ts';
import { sampleThread, start, Transcript } from './testing-entries.ts';

const frame = { thread: sampleThread, to: 'claude' as const, now: start + 9e6, world: null, salt: 'salt' };

function before(): Transcript {
  const t = new Transcript();
  t.user('Make the cart fast. Never touch migrations/.');
  t.says('I decided to cache the totals because they are read often. Next I will write src/old-plan.ts.');
  t.edit('/home/user/shop/src/cart.ts', ['1'], ['2']);
  t.edit('/home/user/shop/src/known.ts', ['1'], ['2']);
  t.bash('npm test', 'Error: boom\nTests  1 failed | 3 passed', 1);
  t.bash('npm run lint', 'Error: unused', 1);
  return t;
}

test('a delta says so, leads with what came since, and leaves away what the reader knows', () => {
  const t = before();
  const since = t.entries.length;
  t.add(
    'handoff',
    { text: 'p', from: 'claude', to: 'codex', mode: 'native', nativeId: 'x', bytes: 1, masked: 0, quoted: 0 },
    'loom',
  );
  t.user('Now make the checkout fast as well. You must not add caches.');
  t.says(
    'I will use a prepared statement since the query is always the same. Should I keep the old index? Next I will write src/new-plan.ts.',
  );
  t.edit('/home/user/shop/src/checkout.ts', ['1'], ['2']);
  t.edit('/home/user/shop/src/cart.ts', ['2'], ['1']);
  t.bash('npm run lint', 'ok', 0);
  t.bash('npm test', 'Tests  5 passed', 0);
  const baton = compileBaton({ ...frame, entries: t.entries, since });
  const { markdown } = renderBaton(baton);
  expect(baton.since).toBe(since);
  expect(markdown.split('\n')[0]).toBe('# Hand-over from Claude Code to Claude Code: what happened since you last drove');
  expect(markdown).toContain(`You drove this thread until [e${since}]`);
  expect(markdown).toMatch(/Now make the checkout fast as well/);
  expect(markdown).toMatch(/The ask as you know it \[e1\]:\n> Make the cart fast/);
  expect(markdown.indexOf('Now make the checkout')).toBeLessThan(markdown.indexOf('Make the cart fast'));
  expect(markdown).toMatch(/Never touch migrations\//);
  expect(markdown).toMatch(/must not add caches/);
  expect(markdown).toMatch(/prepared statement since the query is always the same/);
  expect(markdown).toMatch(/Should I keep the old index\?/);
  expect(markdown).toMatch(/src\/new-plan\.ts/);
  expect(markdown).toMatch(/edit of `src\/cart\.ts` was taken back/);
  expect(markdown).toMatch(/npm run lint` exited with 1.*it went well later/);
  expect(markdown).toMatch(/Last test run: `npm test` passed/);
  expect(markdown).not.toMatch(/cache the totals|old-plan|known\.ts/);
  expect(baton.files.map((file) => file.path)).toEqual(['src/checkout.ts', 'src/cart.ts']);
});

test('a delta of nothing new holds what stands: rules, the world, and no turns', () => {
  const t = before();
  const baton = compileBaton({ ...frame, entries: t.entries, since: t.entries.length });
  expect(baton.substance).toBe('enough');
  expect([baton.lastTurns, baton.decisions, baton.files, baton.next].flat()).toEqual([]);
  expect(baton.constraints).toHaveLength(1);
  expect(baton.world.some((statement) => statement.text.startsWith('Last test run'))).toBe(true);
});

test('rules that the reader knows are told in short', () => {
  const t = new Transcript();
  const rule = `Never touch the tables of the warehouse, ${'which other teams own and which are read by many programs, '.repeat(4)}please.`;
  t.user(`Work on it. ${rule}`);
  t.says('Working.');
  const known = compileBaton({ ...frame, entries: t.entries, since: 2 }).constraints[0]?.text ?? '';
  expect(known.length).toBeLessThanOrEqual(160);
  expect(known).toMatch(/^Never touch the tables of the warehouse/);
  expect(compileBaton({ ...frame, entries: t.entries, since: 0 }).constraints[0]?.text.length).toBeGreaterThan(200);
});
