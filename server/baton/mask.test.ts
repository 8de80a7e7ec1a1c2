import { expect, test } from 'vitest';
import fc from 'fast-check';
import { countMarks, createMasker, mask } from './mask.ts';

/** Text with a secret between ⟦ and ⟧, which must be masked and nothing else. */
const positives: readonly string[] = [
  'TIDE_API_KEY=⟦tvly-FAKE-0123456789abcdefABCDEF⟧',
  'DB_URL=postgres://app:⟦FAKEpassw0rd⟧@db.invalid/x',
  'redis://:⟦topsecret99⟧@cache:6379/0',
  'https://bob:⟦s3cr3t⟧@git.example.com/x.git',
  'client_secret: ⟦GOCSPX-FAKEfakeFAKEfake⟧',
  "curl -H 'Authorization: Bearer ⟦demo.FAKEfakeFAKEfake1234567890⟧' http://x.invalid",
  'Authorization: Basic ⟦dXNlcjpwYXNzd29yZA==⟧',
  'authorization: ⟦Token-0123456789abcdef⟧',
  'Cookie: ⟦session=abc123; theme=dark⟧',
  'Set-Cookie: ⟦sid=s%3Aabc1; Path=/⟧',
  '{"password":"⟦hunter2⟧","user":"x"}',
  '{\\"password\\":\\"⟦hunter2⟧\\",\\"user\\":\\"x\\"}',
  '"api_key": "⟦0123-4567-89ab⟧"',
  'password: ⟦hunter2⟧',
  'DB_PASSWORD=⟦abc⟧',
  'POSTGRES_PASSWORD=⟦password⟧',
  'export DB_PASSWORD="⟦correct horse⟧"',
  'const apiKey = "⟦abcd-efgh-1234⟧";',
  'secret := "⟦s3cr3t-value⟧"',
  "password => '⟦hunter2⟧'",
  'SECRET_KEY = "⟦django-insecure-abc⟧"',
  'passwd=⟦foo123⟧ rest',
  'PGPASSWORD=⟦secret⟧ psql -h x',
  'Server=db;Uid=sa;Pwd=⟦S3cret!⟧;',
  'AccountName=shop;AccountKey=⟦abc123def456==⟧;EndpointSuffix=core',
  'https://x.invalid/cb?access_token=⟦abc123def⟧&x=1',
  'the password is ⟦Hunter2⟧!',
  '密码：⟦hunter2x⟧',
  'mysql -u root -p⟦Secret1⟧ db',
  'sshpass -p ⟦Secret1⟧ ssh host',
  'curl -u bob:⟦pa55word⟧ http://x.invalid',
  'deploy --password ⟦hunter22⟧ --now',
  'deploy --api-key ⟦0123abcd⟧',
  '  password: ⟦aHVudGVyMg==⟧',
  '⟦AKIAIOSFODNN7EXAMPLE⟧ ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧',
  '⟦ASIAIOSFODNN7EXAMPLE⟧',
  'token ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123⟧ ok',
  'x\\n⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧',
  'q=%3D⟦ghp_abcdefghijklmnopqrstuvwxyz0123456789⟧',
  '⟦github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz⟧',
  '⟦glpat-abcdefghij0123456789⟧',
  '⟦npm_abcdefghijklmnopqrstuvwxyz0123456789⟧',
  '⟦AIzaSyFAKEfakeFAKEfakeFAKEfakeFAKEfake0⟧',
  '⟦xoxb-123456789012-abcdefghijkl⟧',
  'https://⟦hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX⟧',
  '⟦sk_live_FAKE51HxYzAbCdEf⟧ ⟦rk_live_FAKE51HxYzAbCdEf⟧',
  '⟦sk-ant-api03-FAKEfakeFAKE⟧',
  '⟦sk-proj-FAKEfakeFAKEfakeFAKE⟧',
  '⟦sk-0123456789abcdefghijABCDEFGHIJ⟧',
  '⟦SG.FAKEfakeFAKEfakeFAKE01.FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE⟧',
  'bot ⟦123456789:AAFAKEfakeFAKEfakeFAKEfakeFAKEfake0⟧',
  '⟦-----BEGIN PRIVATE KEY-----\nRkFLRUZBS0VGQUtF\n-----END PRIVATE KEY-----⟧',
  '⟦-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\nRkFLRUZBS0VGQUtFRkFLRUZBS0VGQUtF\nRkFL⟧',
  'cut:\n⟦RkFLRUZBS0VGQUtFRkFLRUZBS0VGQUtF\nRkFLRUZBS0VGQUtF\nRkFL\n-----END OPENSSH PRIVATE KEY-----⟧',
  '"⟦-----BEGIN PRIVATE KEY-----\\nRkFLRUZBS0VGQUtFRkFLRUZBS0VG\\n-----END PRIVATE KEY-----⟧\\n"',
  '\u001b[32m⟦sk-ant-api03-abcdefgh⟧\u001b[0m',
  'password\u001b[0m: \u001b[33m⟦hunter2⟧\u001b[0m',
];

test.each(positives)('the secret is masked and the text around it stays: %s', (marked) => {
  const expected = marked.split(/⟦[^⟧]*⟧/);
  const { text, count } = mask(marked.replace(/[⟦⟧]/g, ''), 'salt');
  expect(text.split(/«masked:[a-z0-9-]+:[0-9a-f]{4}»/)).toEqual(expected);
  expect(count).toBe(expected.length - 1);
});

const negatives: readonly string[] = [
  'COMMIT=3f786850e387550fdab836ed7e6dc881de23001b',
  'BUILD_ID=20260910-abcdef1234567890',
  'id: 550e8400-e29b-41d4-a716-446655440000',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'password: string;',
  'token?: string | undefined',
  'api_key: str = None',
  'const token = getToken();',
  'token := tok.Next()',
  'apiKey: process.env.API_KEY',
  'const secret = config.secret;',
  'password = input("x")',
  'password: pw,',
  'secret: Secret',
  'secrets: inherit',
  'if (password === other)',
  'max_tokens=4096',
  'token_count: 12',
  'pass: 12, fail: 3',
  'PASSWORD_FILE=/run/secrets/db',
  'password=$PASSWORD',
  'TOKEN="$(cat f)"',
  'Authorization: Bearer ${token}',
  'authorization: the user must be allowed',
  'api_key=<your key>',
  'password: ******',
  "password: ''",
  'key: "checkout.title"',
  'key: 7d793037a0760186574b0282f2f435e7',
  'cacheKey: node-modules-linux-x64-abc123',
  'primaryKey: user_id42x9',
  'resolve key=value pairs',
  'Never log the token: it leaks',
  'The password is required and must be 8 chars',
  '"label": "Password is required"',
  'task-force desk-top risk-averse-people-in-2024-and-on sk-learn sk-abc',
  'docker run -u 1000:1000 img',
  'git@github.com:me/repo.git',
  'http://localhost:3000/a@b',
  'npm_config_cache=/x npm_package_name',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  '-----BEGIN CERTIFICATE-----\nMIIBFAKEFAKEFAKEFAKE\n-----END CERTIFICATE-----',
  'a file that starts with -----BEGIN PRIVATE KEY----- is refused',
  'E   AssertionError: token: expected 3',
  'session: 2024-01-02',
  'Checkout at 10:02:33 in src/auth.ts:12:5',
];

test.each(negatives)('what is no secret keeps every byte: %s', (text) => {
  expect(mask(text, 'salt')).toEqual({ text, count: 0 });
});

test('equal secrets have equal marks under one salt and other marks under another', () => {
  const one = mask('API_KEY=abcd1234efgh\nOTHER_API_KEY=abcd1234efgh', 'salt').text.match(/:[0-9a-f]{4}»/g);
  expect(one?.[0]).toBe(one?.[1]);
  expect(mask('API_KEY=abcd1234efgh', 'pepper').text).not.toContain(one?.[0]);
});

const pieces = fc.constantFrom(
  ...positives.map((text) => text.replace(/[⟦⟧]/g, '')),
  ...negatives,
  '\n',
  ' ',
  '"',
  "'",
  '\\',
  '=',
  ': ',
  '«masked:key:ab12»',
  '«',
  '»',
  'password',
  'token=',
  'Bearer ',
  '://',
  '@',
  '-----END PRIVATE KEY-----',
  'sk-',
  '--token ',
);

test('masking twice is masking once', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 12, unit: 'binary' })), { maxLength: 12 }), (parts) => {
      const once = mask(parts.join(''), 'salt').text;
      expect(mask(once, 'salt')).toEqual({ text: once, count: 0 });
    }),
    { seed: 30, numRuns: 3000 },
  );
});

test('marks are counted as they stand in the text', () => {
  const { text, count } = mask(positives.join('\n').replace(/[⟦⟧]/g, ''), 'salt');
  expect(countMarks(text)).toBe(count);
});

test('a masker finds a value again where no name gives it away', () => {
  const masker = createMasker('salt');
  masker.learn('DB_PASSWORD=blue7horse');
  const { text, count } = masker.mask('I will log in with blue7horse now.');
  expect(text).toMatch(/^I will log in with «masked:password:[0-9a-f]{4}» now\.$/);
  expect(count).toBe(1);
});

/** Texts that make careless patterns run for minutes. The bound is on growth: ten times the text may cost about ten times the time. */
const hostile: readonly string[] = [
  'token',
  'sk-',
  'eyJ',
  'password="',
  'password=<',
  'password: {',
  'cookie: ',
  'authorization: a1',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----END PRIVATE KEY-----',
  'a://b:',
  'a://b:c@',
  '=',
  ':',
  ' -p',
  '--token ',
  '\\',
  '"',
  ' ',
  '\u001b[',
  '«masked:',
  '123456789:',
  'the password is ',
  'AKIAIOSFODNN7EXAMPLE ',
  'A3-Q7MS29-',
  's.kQ7k7Qf2V3XyEn9MyUJ',
  'AAAAk7Q',
  'pat.k7Q.',
  '.webhook.office.com/webhookb2/',
  '7d7d7d7d',
  'ZGVwbG95',
  '$6$a$',
  'echo a | sudo ',
  'Private-Lines: 9\nAAAAAAAAAAAAAAAAAAAAAAAA',
  'machine a login ',
  'kind: Secret\ndata:\n  a: ',
  'set -gx TOKEN ',
  'password    ',
  '<password>',
  '<a b',
  'name: password\n',
  'password%3D',
  'a%3D',
  'sk-ant-"+"',
  'sk-ant-\\\n',
  'db:5432:a:b',
  'http://a:b/',
];
const cost = (unit: string, size: number): number => {
  const text = unit.repeat(Math.ceil(size / unit.length));
  const before = process.cpuUsage();
  mask(text, 'salt');
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1000;
};

test.each(hostile)('ten times as much of %j takes about ten times as long', (unit) => {
  const small = Math.max(cost(unit, 50_000), cost(unit, 50_000), 3);
  expect(cost(unit, 500_000) / small).toBeLessThan(40);
});

test.each(['token', '-----BEGIN PRIVATE KEY-----\n', 'sk-', ' '])('10 MB of %j are masked in seconds', (unit) => {
  expect(cost(unit, 10_000_000)).toBeLessThan(15_000);
});
