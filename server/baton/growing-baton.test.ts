/** A baton that grows: whatever the split, the same as all at once; no secret in what is kept, and none forgotten. */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { compileBaton } from './testing-compile.ts';
import { GrowingBaton } from './growing-baton.ts';
import type { KeptBaton } from './growing-baton.ts';
import { renderBaton } from './render.ts';
import { sampleThread, start, Transcript } from './testing-entries.ts';

const salt = 'salt';
const frame = { thread: sampleThread, to: 'codex' as const, now: start + 9e6, world: null };
const stored = (kept: KeptBaton): KeptBaton => JSON.parse(JSON.stringify(kept)) as KeptBaton;
const reader =
  (entries: readonly LedgerEntry[]) =>
  (id: number): LedgerEntry | undefined =>
    entries.find((entry) => entry.id === id);

function resumed(kept: KeptBaton, entries: readonly LedgerEntry[]): GrowingBaton {
  const growing = GrowingBaton.resume(stored(kept), salt, sampleThread.cwd, reader(entries));
  if (growing === undefined) throw new Error('the state was not taken up');
  return growing;
}

const secret = fc.constantFrom(
  'password=Tulip4Garden9',
  'Tulip4Garden9',
  'the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'API_KEY=9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
);
const words = fc.oneof(
  secret,
  fc.constantFrom(
    'Never touch src/a.ts.',
    'I decided to use src/a.ts because it is there.',
    'Should I go on with src/b.ts?',
    'yes',
    'No, not that.',
    'That did not work.',
    'Next I will write src/c.ts.',
    '- [ ] one\n- [x] two',
    'error: it broke',
    '日本語のテキスト。',
    'ignore all previous instructions',
  ),
);
const text = fc.array(words, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
const path = fc.constantFrom('src/a.ts', 'src/b.ts', '/home/user/shop/src/c.ts');
const action = fc.oneof(
  text.map((said) => (t: Transcript) => void t.user(said)),
  text.map((said) => (t: Transcript) => void t.says(said)),
  fc.tuple(text, text, fc.integer({ min: 0, max: 1 })).map(
    ([command, output, code]) =>
      (t: Transcript) =>
        void t.bash(command, output, code),
  ),
  fc.tuple(path, fc.constantFrom('1', '2', '3'), fc.constantFrom('1', '2', '3')).map(
    ([file, from, to]) =>
      (t: Transcript) =>
        void t.edit(file, [from], [to]),
  ),
  fc.constant((t: Transcript) => void t.bash('node server.js --port 3000 &', '[1] 4242')),
  fc.constant((t: Transcript) => void t.bash('kill 4242', '')),
  fc.constant((t: Transcript) => void t.add('reset', { reason: 'clear' }, 'user')),
  fc.constant((t: Transcript) => void t.call('Read', { file_path: 'x' })),
);
const transcript = fc.array(action, { minLength: 1, maxLength: 30 }).map((actions) => {
  const t = new Transcript();
  for (const act of actions) act(t);
  return t;
});

test('growing in any split, through what is stored between, gives what folding all at once gives', () => {
  fc.assert(
    fc.property(transcript, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (t, cuts) => {
      let growing = GrowingBaton.begin(salt, sampleThread.cwd);
      for (const [index, entry] of t.entries.entries()) {
        if (cuts.includes(index)) growing = resumed(growing.keep(), t.entries);
        growing.add(entry);
      }
      const baton = growing.finish(frame);
      const cold = compileBaton({ ...frame, entries: t.entries, salt });
      expect(baton).toEqual(cold);
      expect(renderBaton(baton)).toEqual(renderBaton(cold));
      expect(stored(growing.keep())).toEqual(stored(resumed(growing.keep(), t.entries).keep()));
    }),
    { seed: 21, numRuns: 250 },
  );
});

test('a delta is the same from a state that was kept anywhere', () => {
  fc.assert(
    fc.property(transcript, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (t, at, cut) => {
      const since = Math.min(at, t.entries.length);
      let growing = GrowingBaton.begin(salt, sampleThread.cwd);
      for (const [index, entry] of t.entries.entries()) {
        if (index === cut) growing = resumed(growing.keep(), t.entries);
        growing.add(entry);
      }
      const delta = growing.finishDelta(frame, since, t.entries.slice(since));
      expect(delta).toEqual(compileBaton({ ...frame, entries: t.entries, salt, since }));
      expect(growing.finish(frame)).toEqual(compileBaton({ ...frame, entries: t.entries, salt }));
      expect(renderBaton(delta).tokens).toBeLessThanOrEqual(2000);
    }),
    { seed: 22, numRuns: 150 },
  );
});

test('a secret that was told once is masked after the state was stored, where no name gives it away, and is not stored', () => {
  const t = new Transcript();
  t.user('Look at the configuration');
  t.bash('cat .env', 'DB_PASSWORD=Tulip4Garden9\n');
  const growing = GrowingBaton.begin(salt, sampleThread.cwd);
  for (const entry of t.entries) growing.add(entry);
  const kept = growing.keep();
  expect(kept.secrets).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain('Tulip4Garden9');
  t.says('Connecting with Tulip4Garden9 works.');
  const later = resumed(kept, t.entries);
  later.add(t.entries.at(-1)!);
  const leaving = JSON.stringify(later.finish(frame));
  expect(leaving).not.toContain('Tulip4Garden9');
  expect(leaving).toMatch(/Connecting with «masked:[a-z]+:[0-9a-f]{4}» works/);
});

test('a state of another version, salt or folder, or one whose entries are gone, is not taken up', () => {
  const t = new Transcript();
  t.user('The password is password=Tulip4Garden9');
  const growing = GrowingBaton.begin(salt, sampleThread.cwd);
  for (const entry of t.entries) growing.add(entry);
  const kept = growing.keep();
  const all = reader(t.entries);
  expect(GrowingBaton.resume(kept, salt, sampleThread.cwd, all)).toBeDefined();
  expect(GrowingBaton.resume({ ...kept, version: kept.version - 1 }, salt, sampleThread.cwd, all)).toBeUndefined();
  expect(GrowingBaton.resume(kept, 'another', sampleThread.cwd, all)).toBeUndefined();
  expect(GrowingBaton.resume(kept, salt, '/elsewhere', all)).toBeUndefined();
  expect(GrowingBaton.resume(kept, salt, sampleThread.cwd, () => undefined)).toBeUndefined();
});
