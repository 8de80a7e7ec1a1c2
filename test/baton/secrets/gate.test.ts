/** The gate before the rules keeps back no text in which a rule finds something: the corpus, what is made of it, and sessions of real programs. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { mask } from '../../../server/baton/mask.ts';
import { mayHoldSecrets } from '../../../server/baton/secret-gate.ts';
import { findSecrets } from '../../../server/baton/secrets.ts';
import { fixtures } from '../../home-ledger.ts';
import { harmless } from './harmless.ts';
import { places } from './places.ts';
import { tokens } from './tokens.ts';

/** Texts that the gate keeps back though something is found. */
const missed = (text: string): boolean => !mayHoldSecrets(text) && findSecrets(text).length > 0;

test('every kind of secret and every place passes, and most of what is harmless does not', () => {
  const telling = [...Object.values(tokens), ...places.map(({ text }) => text)];
  expect(telling.filter(missed)).toEqual([]);
  expect(harmless.filter((text) => !mayHoldSecrets(text)).length).toBeGreaterThan(harmless.length / 2);
});

test('texts of any length are looked at to their ends and no further', () => {
  const number = '12345678';
  expect([`${number}:`, number].map(mayHoldSecrets)).toEqual([true, false]);
  for (const length of [100, 65_520, 65_535, 65_536, 65_537, 200_000]) {
    const filler = 'x '.repeat(length).slice(0, length);
    expect([filler, `${filler}\npassword: hunter2Zebra9`, `password: hunter2Zebra9\n${filler}`].map(mayHoldSecrets)).toEqual([
      false,
      true,
      true,
    ]);
  }
});

test('a value that is only spoken of is seen in whatever case it is spoken', () => {
  for (const text of [
    'THE PASSWORD IS TULIP4GARDEN9',
    'Api Key Was "x1y2z3w4"',
    'Das KENNWORT IST Tulpe4Garten9',
    'Token To k7zy4rpmy',
  ]) {
    expect([text, findSecrets(text).length, mayHoldSecrets(text)]).toEqual([text, 1, true]);
    expect(mask(text, 'salt').count).toBe(1);
  }
});

test('a value that is only spoken of is seen behind signs that are not shown', () => {
  for (const between of ['', '\u001b[1m', '\u001b[1m  ', '"', '\\"']) {
    const text = `the password is ${between}Tulip4Garden9`;
    expect([findSecrets(text).length, mayHoldSecrets(text)]).toEqual([1, true]);
  }
  expect(['filterStateToken: 36 });', 'the token is 3a 4b 5c'].map(mayHoldSecrets)).toEqual([false, false]);
});

const pieces = [...Object.values(tokens), ...places.map(({ text }) => text), ...harmless];

test('nothing is missed in texts that are cut, joined and changed anywhere', () => {
  const cut = fc
    .tuple(fc.constantFrom(...pieces), fc.nat(400), fc.nat(400))
    .map(([text, from, length]) => text.slice(from % text.length).slice(0, length));
  const odd = fc.constantFrom(
    '',
    ' ',
    '\n',
    '"',
    "'",
    '\\n',
    '\\',
    '=',
    ':',
    '：',
    ' = ',
    '-',
    '+',
    '%3D',
    '\u001b[1m',
    '«',
    '»',
    '\u212a',
    'é',
    '密码',
  );
  const text = fc
    .array(fc.oneof(cut, odd, fc.constantFrom(...pieces)), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (made) => {
      expect(missed(made)).toBe(false);
    }),
    { seed: 71, numRuns: 6000 },
  );
});

const words =
  'password passwd passphrase pass pwd pw secret secrets credentials creds api key keys apikey apiKey private_key access client token tokens Token TOKEN auth authorization Authorization cookie Set-Cookie jwt bearer otp sig signature salt sid dsn pat nonce session senha contraseña motdepasse 密码 パスワード 비밀번호 db DB my github npm stripe user id name file public max monkey path ñ é x1';
const name = fc
  .array(fc.tuple(fc.constantFrom(...words.split(' ')), fc.constantFrom('', '', '_', '-', '.', '1', '12')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map(([word, glue]) => word + glue).join(''));
const sign = fc.constantFrom(
  '=', ':', ': ', ' = ', ' := ', '=>', ' => ', '==', ' === ', '":"', '": "', '\\":\\"', "']='", '?: ', '**: ', '`: ', ' is ', ' was ', ' IS ', ' Ist ', ': ', ' to ',
  ' ', '  ', '\t', ' | ', ' │ ', '">', '>', '" value="', '", "value": "', '\n  value: ', '%3D', '%22%3A%22', ': str = "', '\u001b[0m: \u001b[33m', '：',
); // prettier-ignore
const value = fc.oneof(
  fc.constantFrom(
    'hunter2', 'letmein', 'Tulip4Garden9', 'focus', '283', '283,', '{ a: 1 }', 'null', 'process.env.X', 'getToken()', 'a.b.c(d)', 'await f(1)', 'wo(rd9x', 'foo)',
    '"the"', "'x y z'", '`a1b2c3`', 'Bearer abcDEF123456', 'Basic dXNlcjpwYXNzd29yZDE=', 'a=b; c=d1', 'e9d6fcf1-ef22-4a57-af8b-dc82f08c7db4', '7d'.repeat(16), 'user:pa5s', '\\"q9w8\\"', '$x',
  ), // prettier-ignore
  fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ0189_-./+=%$\\"\' ,;()«»')), minLength: 1, maxLength: 40 }),
);
const before = fc.constantFrom(
  '', ' ', '\n', '\\n', '+', '- ', '"', "'", '<', '<a:', 'export ', 'const ', '{', '(', '--', ' --', 'set ', 'set -gx ', 'config set ', 'the ', '?', '&', 'name="', '"name": "', 'curl --user a ', 'é', '1', '%20', '\u001b[1m',
); // prettier-ignore
const after = fc.constantFrom('', '\n', ' ', ',', ';', ')', '"', '\\n', '</x>', '&', ' |', '\r\n', '}');

test('nothing is missed behind names, whatever they are made of and whatever gives them a value', () => {
  fc.assert(
    fc.property(before, name, sign, value, after, (...parts) => {
      const text = parts.join('');
      for (const made of [text, `${'filler text '.repeat(8)}${text} and more`])
        if (missed(made)) throw new Error(JSON.stringify(made));
    }),
    { seed: 72, numRuns: 30_000 },
  );
});

test('sessions of real programs: whatever is found in their lines and texts had passed', () => {
  const odd: string[] = [];
  for (const file of filesBelow(fixtures))
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
      for (const text of [line, ...textsIn(line)])
        if (missed(text)) odd.push(`${path.relative(fixtures, file)}: ${text.slice(0, 200)}`);
    }
  expect(odd).toEqual([]);
});

function textsIn(line: string): readonly string[] {
  const out: string[] = [];
  try {
    JSON.parse(line, (_, inner: unknown) => {
      if (typeof inner === 'string' && inner.length > 12) out.push(inner);
      return inner;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return out;
}
function filesBelow(folder: string): readonly string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(at) : /\.jsonl?$/.test(entry.name) ? [at] : [];
  });
}
