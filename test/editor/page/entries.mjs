/**
 * Made-up timelines for the page: every kind of entry, the ugly ones too, in a fixed order for a given length. The shapes
 * are those of server/protocol/views.ts.
 */

const start = Date.UTC(2026, 8, 10, 9, 0, 0);
const provenance = { harness: 'claude', source: 1, offset: 0, length: 100, translator: 1, trust: 'model' };

/** `count` entries: a long session made of turns. Deterministic. */
export function sampleEntries(count) {
  const entries = [];
  let turn = 0;
  while (entries.length < count) {
    for (const part of turnParts(turn)) {
      if (entries.length >= count) break;
      const id = entries.length + 1;
      entries.push({ id, conversation: 1, at: start + id * 7000, harness: 'claude', provenance, ...part });
    }
    turn += 1;
  }
  return entries;
}

const prompts = [
  'Customers are charged twice when they press **Pay** again while the first request is still running. Find out why and fix it.\n\nThe code is in `src/checkout.ts:42`, tests are in `test/`.',
  'Good. Now add a regression test that fails without the fix.',
  'Why did you choose a lock instead of an idempotency key? Explain it in two or three sentences.',
  'ok, and update the changelog please',
];
const answers = [
  "I'll look at the checkout first, then reproduce it with a test.",
  '## What happens\n\n1. `pay()` has no guard, so two clicks make two intents.\n2. The server accepts both, because the *idempotency key* is made **per call**.\n\n```ts\nexport async function pay(cart: Cart): Promise<Receipt> {\n  const key = idempotencyKey(cart.id);\n  return gateway.charge(cart.total, { key });\n}\n```\n\n| case | before | after |\n| --- | --- | --- |\n| one click | 1 charge | 1 charge |\n| two clicks | 2 charges | 1 charge |\n\nSee [the gateway notes](https://example.com/docs/idempotency) and [checkout.ts](src/checkout.ts#L42).',
  'Done: all 214 tests pass. The key now comes from the cart, so a second click returns the first receipt.',
  'A lock only helps within one process; the key helps everywhere, also when the second request comes from another device.\n\n> The gateway keeps keys for 24 hours, which is longer than any cart lives.\n\n- no new state on our side\n- no timeouts to choose\n- retries become safe',
];
const diff = `@@ -38,9 +38,12 @@ import { gateway } from './gateway';
 export async function pay(cart: Cart): Promise<Receipt> {
-  const key = randomUUID();
-  return gateway.charge(cart.total, { key });
+  // One key for one cart: a second click gets the first receipt.
+  const key = idempotencyKey(cart.id);
+  const receipt = await gateway.charge(cart.total, { key });
+  log.info('charged', { cart: cart.id });
+  return receipt;
 }
`;
const failure =
  '\u001b[1m\u001b[31mFAIL\u001b[39m\u001b[22m test/checkout.test.ts\n  \u001b[32m✓\u001b[39m one click makes one charge \u001b[2m(12 ms)\u001b[22m\n  \u001b[31m✗\u001b[39m two clicks make one charge \u001b[2m(31 ms)\u001b[22m\n\n    expected \u001b[32m1\u001b[39m but got \u001b[31m2\u001b[39m\n\nprogress 10%\rprogress 100%\n\u001b]0;evil title\u0007\u001b[2JTests: \u001b[31m1 failed\u001b[39m, 213 passed, 214 total';

function* turnParts(turn) {
  const call = (name, title, input, index) => ({
    id: `call_${turn}_${index}`,
    name,
    title,
    input: JSON.stringify(input, null, 2),
  });
  const assistant = (fields) => ({
    kind: 'assistant',
    messageId: `msg_${turn}_${fields.m ?? 0}`,
    text: '',
    thinking: '',
    model: 'claude-opus-5',
    commentary: false,
    failed: false,
    calls: [],
    images: [],
    clipped: false,
    ...fields,
  });
  const result = (index, name, output, details, isError = false) => ({
    kind: 'tool_result',
    callId: `call_${turn}_${index}`,
    name,
    output,
    isError,
    details,
    images: [],
    clipped: output.length > 3000,
  });
  yield { kind: 'turn', phase: 'started', durationMs: null, error: null };
  if (turn % 6 === 0) yield { kind: 'setting', name: 'model', value: 'claude-opus-5' };
  if (turn % 6 === 0) yield { kind: 'setting', name: 'permission', value: 'acceptEdits' };
  yield {
    kind: 'user',
    origin: turn % 5 === 3 ? 'queued' : 'typed',
    text: `${prompts[turn % prompts.length]}\n\nTicket SHOP-${turn}.`,
    images: [],
    clipped: false,
  };
  if (turn % 4 === 0)
    yield {
      kind: 'user',
      origin: 'harness',
      text: '<environment>\nToday is 2026-09-10.\n</environment>',
      images: [],
      clipped: false,
    };
  yield assistant({
    thinking: 'The double charge must come from the key: it is made for each call. Let me read the checkout, then the gateway.',
    m: 0,
  });
  yield assistant({ text: answers[turn % answers.length], m: 0 });
  yield assistant({
    calls: [
      call('Read', 'src/checkout.ts', { file_path: 'src/checkout.ts' }, 0),
      call('Grep', 'idempotencyKey', { pattern: 'idempotencyKey' }, 1),
    ],
    m: 0,
  });
  yield result(0, 'Read', 'export async function pay(cart) {\n  const key = randomUUID();\n}\n', {
    action: 'read',
    durationMs: 100,
  });
  yield result(1, 'Grep', 'src/gateway.ts:12: export function idempotencyKey(id: string)', { action: 'search', durationMs: 80 });
  yield assistant({ calls: [call('Bash', 'npm test -- --run checkout', { command: 'npm test -- --run checkout' }, 2)], m: 1 });
  yield result(
    2,
    'Bash',
    failure,
    { action: 'command', command: 'npm test -- --run checkout', exitCode: 1, durationMs: 8200, status: 'failed' },
    true,
  );
  yield {
    kind: 'plan',
    items: [
      { text: 'Reproduce the double charge', status: 'completed' },
      { text: 'Make the key from the cart', status: 'inProgress' },
      { text: 'Add a regression test', status: 'pending' },
    ],
  };
  yield assistant({ calls: [call('Edit', 'src/checkout.ts', { file_path: 'src/checkout.ts' }, 3)], m: 2 });
  yield result(3, 'Edit', 'The file was updated.', {
    action: 'edit',
    durationMs: 40,
    files: [{ path: 'src/checkout.ts', change: 'update', added: 5, removed: 2, diff }],
  });
  if (turn % 3 === 1) {
    yield assistant({ calls: [call('Task', 'Explore: find all callers of pay()', { prompt: 'find all callers' }, 4)], m: 3 });
    yield result(4, 'Task', 'There are three callers.', { action: 'agent', agent: 'agent-1', durationMs: 41_000 });
  }
  if (turn % 7 === 2)
    yield {
      kind: 'notice',
      level: 'error',
      code: 'apiError',
      text: 'API error 529: the service is overloaded; trying again in 4 s.',
    };
  if (turn % 7 === 5) yield { kind: 'notice', level: 'warning', code: 'limit', text: 'You have used 90% of your weekly limit.' };
  if (turn % 9 === 4) yield { kind: 'opaque', nativeType: 'file-history-snapshot', damaged: false, note: '' };
  if (turn % 9 === 4) yield { kind: 'opaque', nativeType: 'not json', damaged: true, note: 'cut off' };
  yield assistant({ text: answers[(turn + 2) % answers.length], m: 4 });
  yield { kind: 'turn', phase: turn % 11 === 10 ? 'interrupted' : 'completed', durationMs: 123_000 + turn * 10, error: null };
  if (turn % 12 === 5)
    yield {
      kind: 'summary',
      text: 'The person wants double charges fixed. The key is made from the cart now.',
      trigger: 'auto',
      clipped: false,
    };
  if (turn % 20 === 9)
    yield {
      kind: 'handoff',
      from: 'claude',
      to: 'codex',
      mode: 'native',
      bytes: 5140,
      masked: 3,
      quoted: 1,
      text: '# Baton\n\nGoal: no double charges.',
      clipped: false,
    };
}

/** Texts that try to be more than text (cases/29-xss-transcript and others); each must be shown and do nothing. */
export function hostileEntries() {
  const texts = [
    'types <b>bold</b><img src="x" onerror="window.__pwn=1"><script>window.__pwn=2</script> into the form',
    '[click](javascript:window.__pwn=3) ![i](vscode://x) <iframe srcdoc="<script>parent.__pwn=4</script>"></iframe>\n\n<svg/onload=window.__pwn=5>\n\n[cmd](command:workbench.action.quit)',
    "</pre></script><meta http-equiv=refresh content='0;url=//x.invalid'><base href=//x.invalid><form action=//x.invalid>",
    '\u202Eevil\u202C \u2066x\u2069 data:text/html,<script>1</script>',
    '<style>*{display:none}</style>\n\n<a href="javascript:window.__pwn=6">x</a>\n\n[ref]: javascript:window.__pwn=7\n\n[ref]',
    '[a](data:text/html;base64,PHNjcmlwdD4=) [b](vbscript:x) [c](JaVaScRiPt:window.__pwn=8) [d](//x.invalid/y) <javascript:window.__pwn=9>',
    '```html"onmouseover="window.__pwn=10\n<script>window.__pwn=11</script>\n```',
    '`${window.__pwn=12}` {{constructor.constructor("window.__pwn=13")()}} <math><mtext></mtext><mglyph><svg><mtext><textarea><path id="</textarea><img onerror=window.__pwn=14 src=1>">',
    '[x](https://example.com/"onmouseover="window.__pwn=15) [y](<src/a"onclick="window.__pwn=16.ts>)',
  ];
  const entries = texts.flatMap((text, index) => [
    { kind: 'user', origin: 'typed', text, images: [{ mimeType: 'image/svg+xml', data: 'PHN2Zy8+' }], clipped: false },
    {
      kind: 'assistant',
      messageId: `h${index}`,
      text,
      thinking: text,
      model: '<img src=x onerror=window.__pwn=20>',
      commentary: false,
      failed: true,
      calls: [{ id: `hc${index}`, name: '<img src=x onerror=window.__pwn=21>', title: text, input: text }],
      images: [{ mimeType: 'image/png" onerror="window.__pwn=22', data: '"><img src=x onerror=window.__pwn=23>' }],
      clipped: false,
    },
    {
      kind: 'tool_result',
      callId: `hc${index}`,
      name: text,
      output: `\u001b]8;;javascript:window.__pwn=24\u0007${text}\u001b]52;c;ZXZpbA==\u0007`,
      isError: true,
      details: {
        files: [
          {
            path: `"><img src=x onerror=window.__pwn=25>${index}`,
            change: 'update',
            added: 1,
            removed: 0,
            diff: `@@ -1 +1 @@\n+${text}`,
          },
        ],
        questions: [{ question: text, answer: text }],
      },
      images: [],
      clipped: false,
    },
    { kind: 'notice', level: 'error', code: 'x', text },
    { kind: 'summary', text, trigger: text, clipped: false },
    { kind: 'handoff', from: 'claude', to: 'codex', mode: text, bytes: 1, masked: 0, quoted: 0, text, clipped: false },
    { kind: 'plan', items: [{ text, status: 'pending' }] },
    { kind: 'step', title: text, output: text, isError: false, details: { command: text }, clipped: false },
    { kind: 'setting', name: 'title', value: text },
    { kind: 'opaque', nativeType: text, damaged: false, note: text },
  ]);
  return entries.map((entry, index) => ({
    id: index + 1,
    conversation: 1,
    at: start + index * 1000,
    harness: 'claude',
    provenance,
    ...entry,
  }));
}

export function sampleThread(entries, over = {}) {
  return {
    id: 't1',
    title: 'Fix double charge race',
    harness: 'codex',
    surface: 'cli',
    cwd: '/home/user/shop',
    repo: null,
    branch: 'fix/double-charge',
    createdAt: start,
    updatedAt: start + entries * 7000,
    turns: 31,
    entries,
    live: true,
    state: 'working',
    driver: { harness: 'codex', pid: 4242, surface: 'cli' },
    automation: false,
    archived: false,
    sourceGone: false,
    importedFrom: null,
    parent: null,
    native: [
      { harness: 'claude', id: 'c', path: '/home/user/.claude/projects/x/c.jsonl' },
      { harness: 'codex', id: 'x', path: '/home/user/.codex/sessions/x.jsonl' },
    ],
    children: [{ conversation: 3, title: 'Explore: find all callers', nativeId: 'agent-1' }],
    model: 'gpt-5.2-codex',
    usage: { input: 120_000, output: 48_000, cacheRead: 2_100_000, cacheWrite: 90_000 },
    lease: null,
    conflict: null,
    returns: [],
    stopped: null,
    ...over,
  };
}

export function sampleConversations(entries) {
  const common = { harness: 'claude', entries, current: false, owner: null };
  return [
    { ...common, id: 1, parent: null, title: 'Fix double charge race', current: true },
    { ...common, id: 2, parent: { conversation: 1, at: 8 }, title: 'Try a lock first', entries: 14 },
    {
      ...common,
      id: 3,
      parent: null,
      owner: { entry: null, callId: 'call_1_4' },
      title: 'Explore: find all callers',
      entries: 14,
    },
  ];
}
