/**
 * What the loopback models answer, by the text of the prompt. A scenario is a list of steps, one for each request of the
 * turn; a step is a list of blocks in neutral words, which each model server turns into its own wire format and into the
 * tools that the program offered: think, say, run (a shell command), write, edit, read, plan,
 * helper (a subagent with a prompt of its own), awaitHelper, loom (a tool of Loom's MCP server: its name and what it is given), hang (a
 * stream that stays open). Steps may be a function of the prompt.
 */
import { secrets } from './secrets.mjs';

/** Forty lines of a stock; those at these numbers, from 0, are sold. */
export const stockLines = (sold) =>
  Array.from({ length: 40 }, (_, n) => `item ${n} ${sold.includes(n) ? 'sold' : 'kept'}\n`).join('');

export const scenarios = [
  {
    prompt: 'Lay out the shelf',
    steps: [
      [{ read: 'stock.txt' }],
      [{ write: ['shelf.js', 'export const shelf = [];\n'] }, { edit: ['stock.txt', 'item 3 kept', 'item 3 sold'] }],
      [{ say: 'The shelf is there.' }],
    ],
  },
  {
    prompt: 'Rename the price to cost',
    steps: [
      [{ run: "mv price.js cost.js && sed -i 's/item 13 kept/item 13 sold/' stock.txt" }],
      [{ say: 'It is called cost now.' }],
    ],
  },
  {
    prompt: 'Clear away the readme',
    steps: [
      [{ run: 'rm README.md && mkdir -p deep/er && printf "one\\ntwo\\n" > deep/er/notes.txt' }, { read: 'stock.txt' }],
      [{ edit: ['stock.txt', 'item 23 kept', 'item 23 sold'] }],
      [{ say: 'The readme is gone.' }],
    ],
  },
  {
    prompt: 'Add the label of the shop',
    steps: [
      [{ write: ['label.txt', 'The shop\n'] }],
      [{ run: "sed -i 's/item 33 kept/item 33 sold/' stock.txt" }],
      [{ say: 'The label is there.' }],
    ],
  },
  {
    prompt: 'Call the service',
    steps: [
      [
        { run: `echo curl -H 'Authorization: Bearer ${secrets.token}' --user 'shop:${secrets.password}' https://example.org` },
        { write: ['deploy.sh', `export SHOP_API_KEY=${secrets.key}\necho deployed\n`] },
      ],
      [{ say: 'The service would be called.' }],
    ],
  },
  { prompt: 'What is in the picture dot.png', steps: [[{ read: 'dot.png' }], [{ say: 'The picture is one red dot.' }]] },
  { prompt: 'What is in this picture', steps: [[{ say: 'This picture is one red dot.' }]] },
  {
    prompt: 'Run the short build',
    steps: [
      [
        { say: 'Building.' },
        { run: 'touch building; for i in $(seq 600); do [ -e go-on ] && break; sleep 0.1; done; echo built' },
      ],
      [{ say: 'The short build is done.' }],
    ],
  },
  {
    prompt: 'What does this project do?',
    steps: [[{ think: 'The readme will say what it is.' }, { say: 'It is a small shop: price.js holds the price.' }]],
  },
  {
    prompt: 'List the files and show the price',
    steps: [
      [{ say: 'Looking at both at once.' }, { run: 'ls' }, { run: 'cat price.js' }],
      [{ say: 'Two files; the price is 10.' }],
    ],
  },
  {
    prompt: 'Run the check script',
    steps: [
      [{ run: 'echo checking; echo "check failed: no total" >&2; exit 3' }],
      [{ say: 'The check failed with exit code 3: there is no total.' }],
    ],
  },
  {
    prompt: 'Write the cart module',
    steps: [
      [
        {
          plan: [
            ['Write cart.js', 'inProgress'],
            ['Use the quantity', 'pending'],
          ],
        },
        { write: ['cart.js', 'export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n'] },
      ],
      [{ say: 'cart.js is there.' }],
    ],
  },
  {
    prompt: 'Use the quantity in the cart',
    steps: [
      [{ read: 'cart.js' }],
      [{ edit: ['cart.js', 'sum + item.price', 'sum + item.price * item.quantity'] }],
      [
        {
          plan: [
            ['Write cart.js', 'completed'],
            ['Use the quantity', 'completed'],
          ],
        },
      ],
      [{ say: 'total now multiplies by the quantity.' }],
    ],
  },
  {
    prompt: 'Show the configuration',
    steps: [[{ run: 'cat .env' }], [{ say: 'The configuration has a key, which I do not repeat.' }]],
  },
  { prompt: 'Now say where we are', steps: [[{ say: 'We wrote cart.js and use the quantity; the check still fails.' }]] },
  {
    prompt: 'Add a discount',
    steps: [[{ run: 'echo "discount 5%" >> notes.txt && cat notes.txt' }], [{ say: 'Noted a discount of 5%.' }]],
  },
  { prompt: 'Review what the other agent did', steps: [[{ say: 'The other agent added the discount note; that is fine.' }]] },
  {
    prompt: 'Run the slow build',
    steps: [[{ say: 'Building.' }, { run: 'echo building; sleep 117; echo built' }], [{ say: 'Built.' }]],
  },
  {
    prompt: 'Ask a helper about the price',
    steps: [
      [{ say: 'I ask a helper.' }, { helper: 'Look at the price file and report' }],
      [{ awaitHelper: true }],
      [{ say: 'The helper says that the price is 10.' }],
    ],
  },
  { prompt: 'Look at the price file and report', steps: [[{ run: 'cat price.js' }], [{ say: 'Report: the price is 10.' }]] },
  {
    prompt: 'Your task is to create a detailed summary',
    steps: [[{ say: '<analysis>Short.</analysis>\n<summary>\nThe shop has a price; its check fails.\n</summary>' }]],
  },
  { prompt: 'CONTEXT CHECKPOINT COMPACTION', steps: [[{ say: 'The shop has a price; its check fails.' }]] },
  {
    prompt: 'Open what the baton cites',
    steps: (prompt) => [
      [{ loom: ['loom_read', JSON.parse(/\{.*\}/.exec(prompt)[0])] }],
      [{ say: 'I have read what the baton cites.' }],
    ],
  },
  { prompt: 'Think for a long time', steps: [[{ say: 'I am thinking' }, { hang: true }]] },
];

/** The blocks of step `round` (0 for the first request of the turn) of the scenario that `prompt` asks for. */
export function answerTo(prompt, round) {
  const scenario = scenarios.find((one) => prompt.includes(one.prompt));
  if (!scenario) return [{ say: `Heard ${prompt.length} characters.` }];
  const steps = typeof scenario.steps === 'function' ? scenario.steps(prompt) : scenario.steps;
  return steps[Math.min(round, steps.length - 1)];
}
