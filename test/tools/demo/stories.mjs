/**
 * The sample sessions: two threads worth reading (a double charge hunted down in Claude Code, a settings migration in Codex) and a few
 * short ones, so that a list has something to group. All of it is made up; `shop` is a folder that exists only in the demo.
 */
import path from 'node:path';
import { ClaudeSession } from './claude-session.mjs';
import { CodexSession } from './codex-session.mjs';

const minutes = 60_000;
const hours = 60 * minutes;
const days = 24 * hours;

const checkout = `import { charge } from './gateway.js';

export async function pay(order) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await charge({ order: order.id, cents: order.cents });
    } catch (error) {
      if (error.code !== 'ETIMEDOUT') throw error;
    }
  }
  throw new Error('The gateway does not answer.');
}
`;

const failingRun = `\u001b[1m> shop@2.4.0 test\u001b[22m
> node --test

\u001b[32m✔\u001b[39m an order is charged (4.1ms)
\u001b[32m✔\u001b[39m a refused card is reported (1.9ms)
\u001b[31m✖\u001b[39m a timeout charges once (31.5ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  2 !== 1

      at TestContext.<anonymous> (file:///home/user/shop/test/checkout.test.js:41:10)

\u001b[34mℹ\u001b[39m tests 3
\u001b[34mℹ\u001b[39m pass 2
\u001b[34mℹ\u001b[39m fail 1`;

const passingRun = `> shop@2.4.0 test
> node --test

\u001b[32m✔\u001b[39m an order is charged (4.4ms)
\u001b[32m✔\u001b[39m a refused card is reported (2.0ms)
\u001b[32m✔\u001b[39m a timeout charges once (30.9ms)
\u001b[34mℹ\u001b[39m tests 3
\u001b[34mℹ\u001b[39m pass 3
\u001b[34mℹ\u001b[39m fail 0`;

function doubleCharge({ home, cwd, now }) {
  const at = (file) => path.join(cwd, file);
  const s = new ClaudeSession({ seed: 'double-charge', home, cwd, branch: 'fix/double-charge', at: now - 26 * minutes });
  const steps = [
    'Write a test that shows the double charge',
    'Send one idempotency key per order',
    'Check every caller of charge()',
    'Run the whole suite',
  ];
  s.user(
    'Customers are charged twice when the payment gateway times out. Find out why and fix it. Never touch the public API of `pay()`, mobile depends on it.',
  );
  s.read(at('src/checkout.js'), checkout, {
    thinking: 'The retry loop is the first suspect: a timeout does not mean that the charge failed.',
    text: "I'll look at the checkout first.",
  });
  s.todos(progress(steps, 0));
  s.edit(
    at('test/checkout.test.js'),
    [
      ' });',
      '+',
      "+test('a timeout charges once', async () => {",
      '+  const gateway = fakeGateway({ timeouts: 1 });',
      '+  await pay(order);',
      '+  assert.strictEqual(gateway.charges.length, 1);',
      '+});',
    ],
    { line: 33 },
  );
  s.bash('npm test', failingRun, { code: 1, seconds: 8.2, text: 'A test first, so that we see it fail.' });
  s.todos(progress(steps, 1));
  s.say(
    'The test fails as expected: **the retry sends a second charge although the first one went through**, only its answer was lost.\n\nI will send an idempotency key that is made from the order:\n\n```js\ncharge({ order: order.id, cents: order.cents, key: `order-${order.id}` })\n```\n\nThe gateway then answers a repeat with the first charge. `pay()` keeps its signature.',
    8,
  );
  s.turnEnd(74_000);
  const beforeRewind = s.tip;
  s.user('Could we just retry less?', 60);
  s.say('Fewer attempts make it rarer, but one lost answer is enough for a double charge. I would not.', 7);
  s.turnEnd(9_000);
  s.rewind(beforeRewind);
  s.user('Good. Do it, and check all callers of charge().', 90);
  s.edit(
    at('src/checkout.js'),
    [
      ' export async function pay(order) {',
      '+  // The gateway answers a repeated key with the first charge: a lost answer never costs the customer twice.',
      '+  const key = `order-${order.id}`;',
      '   for (let attempt = 0; attempt < 3; attempt++) {',
      '     try {',
      '-      return await charge({ order: order.id, cents: order.cents });',
      '+      return await charge({ order: order.id, cents: order.cents, key });',
      '     } catch (error) {',
    ],
    { line: 3 },
  );
  s.todos(progress(steps, 2));
  s.agent(
    {
      type: 'Explore',
      description: 'Find all callers of charge()',
      prompt: 'Find every caller of charge() in this repository and say whether it can be run twice for one order.',
      report:
        'Three callers. `src/checkout.js` (now with a key), `src/subscriptions.js` line 58 (retried by the job queue, **no key**), `src/admin/recharge.js` (a person presses a button; asks before it repeats).',
    },
    (child) => {
      child.tool(
        'Grep',
        { pattern: 'charge\\(', path: cwd },
        { content: 'src/checkout.js:9\nsrc/subscriptions.js:58\nsrc/admin/recharge.js:21' },
        { seconds: 0.2 },
      );
      child.read(
        at('src/subscriptions.js'),
        "queue.process('renew', async (job) => {\n  await charge({ order: job.data.id, cents: job.data.cents });\n});\n",
      );
      child.bash(
        'git log --oneline -3 -- src/subscriptions.js',
        '9be1f02 Renew through the queue\n41c07aa Retry failed renewals',
      );
    },
  );
  s.edit(
    at('src/subscriptions.js'),
    [
      " queue.process('renew', async (job) => {",
      '-  await charge({ order: job.data.id, cents: job.data.cents });',
      '+  await charge({ order: job.data.id, cents: job.data.cents, key: `renew-${job.data.id}-${job.data.period}` });',
      ' });',
    ],
    { line: 57 },
  );
  s.bash('npm test', passingRun, { seconds: 7.9 });
  s.todos(progress(steps, 4));
  s.say(
    'Done. A lost answer no longer charges twice:\n\n| where | key |\n| --- | --- |\n| `src/checkout.js` | `order-<id>` |\n| `src/subscriptions.js` | `renew-<id>-<period>` |\n\nThe button in `src/admin/recharge.js` asks before it repeats, so I left it as it is. All three tests pass.',
    9,
  );
  s.turnEnd(141_000);
  return s.title('Fix the double charge').save();
}

/** A to-do list of which the first `done` are done. */
const progress = (texts, done) => texts.map((text, i) => [text, i < done ? 'completed' : i === done ? 'in_progress' : 'pending']);

/** Lines as a patch adds them. */
const added = (text) => text.trimEnd().replace(/^/gm, '+');

function settings({ home, cwd, now }) {
  const at = (file) => path.join(cwd, file);
  const s = new CodexSession({ seed: 'settings', home, cwd, branch: 'main', at: now - 3 * hours });
  const steps = ['Read the old store', 'Write the migration', 'Prove that running it twice changes nothing'];
  s.user(
    'Move our settings from settings.ini to SQLite. Keep the file as a backup, and the migration must be safe to run twice.',
  );
  s.think('**Looking at the store**\n\nThe ini reader is small. The risk is in keys that hold dots.');
  s.say('I will read the current store before I touch it.');
  s.plan(progress(steps, 0));
  s.exec(
    'sed -n 1,40p src/settings.js',
    "import fs from 'node:fs';\n\nexport function load(file) {\n  return parse(fs.readFileSync(file, 'utf8'));\n}\n",
    { seconds: 0.1 },
  );
  s.plan(progress(steps, 1));
  const migration =
    "import Database from 'better-sqlite3';\n\nexport function migrate(ini, file) {\n  const db = new Database(file);\n  db.exec('CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT) STRICT');\n  const put = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');\n  for (const [key, value] of Object.entries(ini)) put.run(key, value);\n}\n";
  s.patch(
    [[at('src/migrate.js'), 'add', migration]],
    `*** Begin Patch\n*** Add File: src/migrate.js\n${added(migration)}\n*** End Patch`,
  );
  s.exec(
    'node src/migrate.js && node src/migrate.js',
    "file:///home/user/shop/src/migrate.js:7\n  for (const [key, value] of Object.entries(ini)) put.run(key, value);\n                                                      ^\nSqliteError: UNIQUE constraint failed: settings.key\n    code: 'SQLITE_CONSTRAINT_PRIMARYKEY'\n",
    { code: 1, seconds: 0.6 },
  );
  s.say('The second run fails on the keys that are there. An existing value must win.');
  const hunk =
    "-  const put = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');\n+  // A value that is there already was changed after the first run: it wins.\n+  const put = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');";
  s.patch(
    [[at('src/migrate.js'), 'update', `@@ -6 +6,2 @@\n${hunk}\n`]],
    `*** Begin Patch\n*** Update File: src/migrate.js\n@@\n${hunk}\n*** End Patch`,
  );
  s.exec('node src/migrate.js && node src/migrate.js && echo same', 'same\n', { seconds: 0.7 });
  s.plan(progress(steps, 3));
  s.say(
    'The settings are in `settings.db`, and `settings.ini` stays as the backup. Running the migration twice changes nothing: a value that is there already wins.',
    { last: true },
  );
  return s.title('Move the settings to SQLite').save();
}

function short({ home, cwd, now }) {
  const claude = (seed, ago, title, prompt, answer, branch = 'main') => {
    const s = new ClaudeSession({ seed, home, cwd, branch, at: now - ago });
    s.user(prompt).say(answer).turnEnd(8_000);
    return s.title(title).save();
  };
  claude(
    'durations',
    26 * hours,
    'Parse duration strings',
    'Write parseDuration("1h 30m") that returns milliseconds, and reject what it does not know.',
    'It is in `src/duration.js`, with eleven tests. Unknown units throw a `RangeError` that names them.',
  );
  claude(
    'release',
    4 * days,
    'Release notes for 2.4',
    'Write the release notes for 2.4 from the log.',
    'Here they are. I left out two commits that only move files.',
  );
  const s = new CodexSession({ seed: 'flaky', home, cwd, branch: 'main', at: now - 2 * days });
  s.user('Why is the cart test flaky?');
  s.exec('for i in $(seq 20); do node --test test/cart.test.js >/dev/null || echo fail $i; done', 'fail 7\nfail 15\n', {
    seconds: 14.5,
  });
  s.say(
    'It compares two dates that are taken one after the other: once in a while a millisecond passes between them. Pass the clock in, then it holds.',
    { last: true },
  );
  s.save();
}

/** Writes all sessions below `home`, as if the last of them had just ended at `now` (ms). Returns the two long ones. */
export function writeStories(place) {
  short(place);
  return { codex: settings(place), claude: doubleCharge(place) };
}

/** The files that the stories speak of, so that links in the timeline open something. */
export const shopFiles = {
  'package.json': '{ "name": "shop", "version": "2.4.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  'README.md': '# shop\n\nA small shop, for trying Loom out.\n',
  'src/checkout.js': checkout,
  'src/subscriptions.js':
    "import { charge } from './gateway.js';\nimport { queue } from './queue.js';\n\nqueue.process('renew', async (job) => {\n  await charge({ order: job.data.id, cents: job.data.cents });\n});\n",
};
