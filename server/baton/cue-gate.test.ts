/** The gate before the cues misses none: sentences are made of the patterns themselves, in capitals and small letters, among other words. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { cue, cuesOf, intentCue, intentCuesOf } from './cue-gate.ts';
import { constraintScore, decisionScore, failureSaid, nextScore, personDecisionScore, rejectionScore } from './cues.ts';
import { decisionsIn } from './decisions-in.ts';
import { questionsIn } from './fold-question.ts';

/** What a pattern of a source file matches, without what only looks around. */
function matching(file: string, name: string): fc.Arbitrary<string> {
  const source = fs.readFileSync(path.join(import.meta.dirname, file), 'utf8');
  const pattern = new RegExp(`const ${name} =\\s+/((?:[^/\\n\\\\]|\\\\.)+)/[iu]*;`).exec(source)?.[1];
  if (pattern === undefined) throw new Error(`${file} has no pattern ${name}.`);
  const plain = pattern
    .replaceAll(/\(\?<?[!=](?:[^()[\]]|\[[^\]]*\]+|\((?:[^()[\]]|\[[^\]]*\]+)*\))*\)/g, '')
    .replaceAll(/(?<![[\\])[\^$]/g, '')
    .replaceAll('\\b', '')
    .replaceAll(/\[\\p\{L\}['\]]*\]?/g, '[a-z]')
    .replaceAll('\\p{L}', '[a-z]');
  return fc.stringMatching(new RegExp(`^(?:${plain})$`));
}
const names = ['decided', 'found', 'contrast', 'reason', 'intends', 'rejected', 'weighed', 'turned', 'saidFailed', 'nextSaid'];
const cues = [...names.map((name) => matching('cues.ts', name)), matching('fold-question.ts', 'named')];
const piece = fc.oneof(
  ...cues,
  fc.constantFrom('the file', 'X', 'it would be too slow', 'we', 'I', 'now', 'src/a.ts', '`b`', 'help', '?'),
);
const sentence = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '.', ':', '?', '?*'), fc.boolean())
  .map(([parts, end, isLoud]) => {
    const text = `${parts.join(' ').replaceAll(/\s+/g, ' ')}${end}`;
    return isLoud ? text.toUpperCase() : text;
  });

test('a sentence with a cue is let through', () => {
  const met = { decision: 0, failure: 0, next: 0, question: 0 };
  fc.assert(
    fc.property(sentence, (text) => {
      const [bits = 0] = cuesOf([text]);
      const open = Uint8Array.of(15);
      const found = {
        decision: decisionScore(text) > 0 || rejectionScore(text) > 0,
        failure: failureSaid(text),
        next: nextScore(text) > 0,
        question: questionsIn([text], 1, open).length > 0,
      };
      for (const kind of ['decision', 'failure', 'next', 'question'] as const) {
        if (!found[kind]) continue;
        met[kind]++;
        if ((bits & cue[kind]) === 0) throw new Error(`${kind}: ${text}`);
      }
    }),
    { seed: 31, numRuns: 20_000 },
  );
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(500);
});

test('decisions, with the reasons that follow them, are those of an open gate', () => {
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 6 }), (sentences) => {
      expect(decisionsIn(sentences, cuesOf(sentences))).toEqual(
        decisionsIn(sentences, new Uint8Array(sentences.length).fill(15)),
      );
    }),
    { seed: 32, numRuns: 1000 },
  );
});

test('an everyday sentence is kept back, and one in other letters is not', () => {
  expect([...cuesOf(['This file has two tests.', 'Файл готов', 'I decided to keep it.'])]).toEqual([0, 15, 1]);
});

const intents = ['strongConstraint', 'weakConstraint', 'otherConstraint', 'personDecides'].map((name) =>
  matching('cues.ts', name),
);
const asked = fc
  .tuple(
    fc.array(fc.oneof(...intents, fc.constantFrom('the file', 'please', 'we', 'x')), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '.', '!', '?'),
    fc.boolean(),
  )
  .map(([parts, end, isLoud]) => {
    const text = `${parts.join(' ').replaceAll(/\s+/g, ' ')}${end}`;
    return isLoud ? text.toUpperCase() : text;
  });

test('a sentence of a prompt with a constraint or a choice is let through', () => {
  const met = { constraint: 0, choice: 0 };
  fc.assert(
    fc.property(asked, (text) => {
      const [bits = 0] = intentCuesOf([text]);
      const found = { constraint: constraintScore(text) > 0, choice: personDecisionScore(text) > 0 };
      for (const kind of ['constraint', 'choice'] as const) {
        if (!found[kind]) continue;
        met[kind]++;
        if ((bits & intentCue[kind]) === 0) throw new Error(`${kind}: ${text}`);
      }
    }),
    { seed: 33, numRuns: 20_000 },
  );
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(500);
  expect([...intentCuesOf(['This file has two tests.', 'Только файл', 'Never touch it.', 'I chose Redis'])]).toEqual([
    0, 3, 1, 2,
  ]);
});
