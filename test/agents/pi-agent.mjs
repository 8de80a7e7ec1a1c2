/**
 * The real `pi` in a world: configured for a loopback model that speaks the Messages API, run headless in its JSON mode. Run alone
 * (`node test/agents/pi-agent.mjs`), it checks what Loom's writer makes against the program (pi-writing.mjs).
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { heardByClaude } from './heard.mjs';
import { startMessagesApi } from './messages-api.mjs';
import { filesBelow, run as runProgram } from './run-agent.mjs';

const places = ['@earendil-works', '@mariozechner'].map((scope) => path.join('node_modules', scope, 'pi-coding-agent'));

let calls = 0;
const call = (name, input) => [{ type: 'tool_use', id: `toolu_pi${String(++calls).padStart(6, '0')}`, name, input }];

/** Neutral blocks as content blocks, with pi's own tools; it has none for plans and helpers. */
function content(blocks) {
  return blocks.flatMap((block) => {
    if (block.think) return [{ type: 'thinking', thinking: block.think, signature: Buffer.from(block.think).toString('base64') }];
    if (block.say) return [{ type: 'text', text: block.say }];
    if (block.run) return call('bash', { command: block.run });
    if (block.read) return call('read', { path: block.read });
    if (block.write) return call('write', { path: block.write[0], content: block.write[1] });
    if (block.loom) return call(`mcp__loom__${block.loom[0]}`, block.loom[1]);
    if (block.edit) return call('edit', { path: block.edit[0], edits: [{ oldText: block.edit[1], newText: block.edit[2] }] });
    return [];
  });
}

export const agent = {
  harness: 'pi',
  // On a Node older than 22.19, npm would take 0.74.2 without a word.
  packages: ['@earendil-works/pi-coding-agent@1.6.0'],

  /** @returns {string[]} how the program in that cache folder is started: its file with this process's Node */
  argv(cache) {
    const folder = places.map((place) => path.join(cache, place)).find((place) => fs.existsSync(place));
    if (folder === undefined) throw new Error(`no pi in ${cache}`);
    const { bin } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return [process.execPath, path.join(folder, bin.pi)];
  },

  startModel: (cwd) => startMessagesApi(cwd, content),

  configure({ home, url }) {
    const folder = path.join(home, '.pi', 'agent');
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
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'models.json'), JSON.stringify({ providers: { loopback: provider } }));
    fs.writeFileSync(
      path.join(folder, 'settings.json'),
      JSON.stringify({ defaultProvider: 'loopback', defaultModel: model.id, quietStartup: true }),
    );
    return { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };
  },

  /** One headless turn. `resume`: a session's id or the path of its file. `sessionId` is what the program itself reports. */
  async run(world, prompt, { resume, extra = [] } = {}) {
    const model = world.models.pi;
    const before = model.requests.length;
    const session = resume === undefined ? [] : ['--session', resume];
    const end = await runProgram([...world.agents.pi, '--mode', 'json', ...session, ...extra, prompt], {
      cwd: world.cwd,
      env: world.env,
    });
    const events = end.stdout.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []));
    const said = events.findLast((event) => event.type === 'message_end' && event.message?.role === 'assistant')?.message;
    return {
      ...end,
      sessionId: events.find((event) => event.type === 'session')?.id,
      answer: said?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
      requests: model.requests.slice(before).filter((request) => request.path === '/v1/messages'),
    };
  },

  heard: heardByClaude,

  sessionFiles: (world) =>
    filesBelow(path.join(world.home, '.pi', 'agent', 'sessions')).filter((file) => file.endsWith('.jsonl')),
};

// Not awaited: that module imports this one.
if (process.argv[1] === fileURLToPath(import.meta.url))
  void import('./pi-writing.mjs').then(({ main }) => main(process.argv.slice(2)));
