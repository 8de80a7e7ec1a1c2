/** Every kind of secret is found by its shape or by where it stands, once more in every wrapping; and nothing else is touched. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { maskMessages } from '../../../server/baton/masked-messages.ts';
import { mask } from '../../../server/baton/mask.ts';
import { cleanText } from '../../../server/baton/clean-text.ts';
import { maskedAndClean } from '../../../server/baton/masked-clean.ts';
import { createMasker } from '../../../server/baton/mask.ts';
import type { Message } from '../../../shuttles/contract/message.ts';
import { fixtures } from '../../home-ledger.ts';
import { harmless } from './harmless.ts';
import { places } from './places.ts';
import { tokens } from './tokens.ts';

const left = (text: string): string => maskedAndClean(text, createMasker('salt'), cleanText).text;

test('the corpus has more than eighty kinds of token, eighty places, and sixty texts that are harmless', () => {
  expect([Object.keys(tokens).length, places.length, harmless.length].map((count, i) => count >= [80, 80, 60][i]!)).toEqual([
    true,
    true,
    true,
  ]);
});

/** Ways in which a token stands in a text. */
const wrappings: Readonly<Record<string, (token: string) => string>> = {
  alone: (token) => token,
  sentence: (token) => `Use ${token}, please.`,
  quoted: (token) => `f("${token}")`,
  'JSON in JSON': (token) => JSON.stringify(JSON.stringify({ x: token })),
  'line of a diff': (token) => `@@ -1 +1 @@\n-${token}\n+x`,
  'numbered line': (token) => `  12\t${token}\n  13\tend`,
  'colour code': (token) => `\u001b[32m${token}\u001b[0m`,
  'written line end': (token) => `a\\n${token}\\nb`,
  list: (token) => `a,${token};b`,
  path: (token) => `/tmp/${token}/x`,
};
test.each(Object.entries(tokens))('a token of %s is masked however it stands, whole', (_, token) => {
  const core = token.slice(token.length >> 1);
  for (const [name, wrap] of Object.entries(wrappings)) {
    // A slash may belong to base64.
    if (name === 'path' && token === tokens['pairInBase64']) continue;
    const out = left(wrap(token));
    expect(out, name).not.toContain(core);
    expect(out, name).toContain('«masked:');
  }
});

test.each(places.map((place) => [place.name, place] as const))('a secret is masked in its place: %s', (_, { text, secrets }) => {
  const out = left(text);
  for (const secret of secrets) expect(out).not.toContain(secret);
  expect(out).toContain('«masked:');
});

test.each(harmless)('nothing is touched in: %s', (text) => {
  expect(mask(text, 'salt')).toEqual({ text, count: 0 });
});

test('harmless texts stay harmless behind, before and among one another', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...harmless), { minLength: 2, maxLength: 6 }), (texts) => {
      const text = texts.join('\n');
      expect(mask(text, 'salt').text).toBe(text);
    }),
    { seed: 5, numRuns: 400 },
  );
});

test('a secret in an argument of a call leaves neither there nor anywhere else', () => {
  for (const { name, text, secrets } of places) {
    const call: Message = {
      role: 'assistant',
      content: [
        {
          type: 'toolCall',
          id: 'c',
          name: 'Write',
          arguments: { file_path: '/a', content: text, edits: [{ new_string: text }] },
        },
      ],
    };
    const json = JSON.stringify(maskMessages([call], 'salt').messages);
    for (const secret of secrets) expect(json, name).not.toContain(secret);
  }
});

test('a command that is a list of words, and a variable that is an object, keep no secret', () => {
  const words = (list: readonly string[]): string =>
    JSON.stringify(
      maskMessages(
        [{ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'shell', arguments: { command: list } }] }],
        'salt',
      ),
    );
  expect(words(['deploy', '--password', 'hunter22'])).not.toContain('hunter22');
  expect(words(['curl', '-u', 'bob:pa55word99', 'http://x.invalid'])).not.toContain('pa55word99');
  const call = {
    type: 'toolCall',
    id: 'c',
    name: 'deploy',
    arguments: { env: [{ name: 'DB_PASSWORD', value: 'hunter22' }] },
  } as const;
  expect(JSON.stringify(maskMessages([{ role: 'assistant', content: [call] }], 'salt'))).not.toContain('hunter22');
});

test('equal secrets have equal marks in one ledger, whatever stands around them', () => {
  const token = tokens['github'] ?? '';
  const marks = Object.values(wrappings).map((wrap) => /«masked:github:[0-9a-f]{4}»/.exec(left(wrap(token)))?.[0]);
  expect(new Set(marks).size).toBe(1);
  expect(mask(token, 'pepper').text).not.toBe(marks[0]);
});

test('masking twice is masking once, over the whole corpus', () => {
  const all = [...Object.values(tokens), ...places.map(({ text }) => text), ...harmless];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...all), { maxLength: 8 }), fc.constantFrom('\n', ' ', '', '"', '='), (texts, glue) => {
      const once = mask(texts.join(glue), 'salt').text;
      expect(mask(once, 'salt')).toEqual({ text: once, count: 0 });
    }),
    { seed: 6, numRuns: 600 },
  );
});

/** Lines of real programs' sessions in which a mark may come: what was planted there as a secret. */
const planted = /sk-|ghp_|password|token|secret|key|authorization|bearer|eyJ|signature/i;
test('sessions of real programs have nothing masked but what is spoken of as a secret', () => {
  const odd: string[] = [];
  for (const file of filesBelow(fixtures))
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
      const out = mask(line, 'salt');
      if (out.count > 0 && !planted.test(line))
        odd.push(`${path.relative(fixtures, file)}: ${out.text.match(/.{0,60}«masked.{0,40}/)?.[0]}`);
    }
  expect(odd).toEqual([]);
});
function filesBelow(folder: string): readonly string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(at) : /\.jsonl?$/.test(entry.name) ? [at] : [];
  });
}
