/**
 * The real `openclaw` in a world: configured for a loopback model that speaks the Messages API, run headless without a gateway. Its
 * sessions are rows of its agent's database. Run alone (`node test/agents/openclaw-agent.mjs`), it checks what Loom begins there
 * (openclaw-begin.mjs). A start takes 20 seconds and more.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { heardByClaude } from './heard.mjs';
import { startMessagesApi } from './messages-api.mjs';
import { filesBelow, run as runProgram } from './run-agent.mjs';

let calls = 0;
const call = (name, input) => [{ type: 'tool_use', id: `toolu_oc${String(++calls).padStart(6, '0')}`, name, input }];

/** Neutral blocks as content blocks, with OpenClaw's own tools; plans and helpers are left out. */
function content(blocks) {
  return blocks.flatMap((block) => {
    if (block.think) return [{ type: 'thinking', thinking: block.think, signature: Buffer.from(block.think).toString('base64') }];
    if (block.say) return [{ type: 'text', text: block.say }];
    if (block.run) return call('exec', { command: block.run });
    if (block.read) return call('read', { path: block.read });
    if (block.write) return call('write', { path: block.write[0], content: block.write[1] });
    if (block.edit) return call('edit', { path: block.edit[0], edits: [{ oldText: block.edit[1], newText: block.edit[2] }] });
    return [];
  });
}

/** What the program writes into the user's messages by itself: the time, who sent it, where it runs, what runs beside it. */
const added = [
  /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/g,
  /^\[\w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2} [^\]]+\] /,
  /^Conversation info: ⟦openclaw:ctx⟧\n```json\n[\s\S]*?\n```\n\n/,
  /\n\nRuntime: agent=[^\n]*$/,
];

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export const agent = {
  harness: 'openclaw',
  packages: ['openclaw@2026.9.6'],

  /** @returns {string[]} how the program in that cache folder is started: its file with this process's Node */
  argv: (cache) => [process.execPath, path.join(cache, 'node_modules', 'openclaw', 'openclaw.mjs')],

  startModel: (cwd) => startMessagesApi(cwd, content),

  async configure({ home, cwd, url }) {
    const model = {
      id: 'loopback-1',
      name: 'Loopback',
      reasoning: false,
      input: ['text', 'image'],
      contextWindow: 128_000,
      maxTokens: 8192,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    const provider = { baseUrl: url, api: 'anthropic-messages', apiKey: 'sk-loopback-0000', models: [model] };
    const port = await freePort();
    const config = {
      gateway: { mode: 'local', port, bind: 'loopback', auth: { mode: 'token', token: 'loopback-token' } },
      agents: { defaults: { workspace: cwd, model: { primary: `loopback/${model.id}` }, skipBootstrap: true } },
      models: { mode: 'merge', providers: { loopback: provider } },
    };
    fs.mkdirSync(path.join(home, '.openclaw'), { recursive: true });
    fs.writeFileSync(path.join(home, '.openclaw', 'openclaw.json'), JSON.stringify(config));
    return { OPENCLAW_DISABLE_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NO_COLOR: '1' };
  },

  /** One headless turn, in a session of its own key or in the one whose id is `resume`. */
  async run(world, prompt, { resume, extra = [] } = {}) {
    const model = world.models.openclaw;
    const before = model.requests.length;
    const session = resume === undefined ? ['--session-key', `agent:main:${crypto.randomUUID()}`] : ['--session-id', resume];
    const end = await runProgram(
      [...world.agents.openclaw, 'agent', '--local', ...session, '--json', ...extra, '--message', prompt],
      { cwd: world.cwd, env: world.env, timeoutMs: 240_000 },
    );
    const told = parsed(end.stdout);
    return {
      ...end,
      sessionId: told?.meta?.agentMeta?.sessionId,
      answer: told?.payloads?.map((payload) => payload.text).join('\n'),
      requests: model.requests
        .slice(before)
        .filter((request) => request.path === '/v1/messages' && request.body.tools?.length > 0),
    };
  },

  heard: (body) =>
    heardByClaude(body).flatMap((item) => {
      if (item.user === undefined) return [item];
      const user = added.reduce((text, form) => text.replace(form, '').trim(), item.user);
      return user === '' ? [] : [{ user }];
    }),

  sessionFiles: (world) =>
    filesBelow(path.join(world.home, '.openclaw', 'agents')).filter((file) => path.basename(file) === 'openclaw-agent.sqlite'),
};

/** Its log lines may stand in front of the document. */
function parsed(text) {
  try {
    return JSON.parse(text.slice(text.search(/^\{/m)));
  } catch {
    return undefined;
  }
}

// Not awaited: what is imported imports this file.
if (process.argv[1] === fileURLToPath(import.meta.url)) void import('./openclaw-begin.mjs').then(({ main }) => main());
