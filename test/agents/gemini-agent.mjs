/**
 * The real `gemini` in a world: configured for a loopback model that speaks the Gemini API, run headless. Run alone
 * (`node test/agents/gemini-agent.mjs [package version]`), it checks what Loom's writer makes against the program (gemini-writing.mjs).
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInjected, startGeminiApi } from './gemini-api.mjs';
import { filesBelow, run as runProgram } from './run-agent.mjs';

const model = 'gemini-2.5-pro';

export const agent = {
  harness: 'gemini',
  packages: ['@google/gemini-cli@0.61.0'],

  /** @returns {string[]} how the program in that cache folder is started: its file with this process's Node */
  argv(cache) {
    const folder = path.join(cache, 'node_modules/@google/gemini-cli');
    const { bin } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return [process.execPath, path.join(folder, bin.gemini)];
  },

  startModel: (cwd) => startGeminiApi(cwd),

  configure({ home, url }) {
    const folder = path.join(home, '.gemini');
    fs.mkdirSync(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
    };
    fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
    return {
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'loopback',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      // Otherwise it starts itself once more with another limit of memory.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      NO_COLOR: '1',
    };
  },

  /** One headless turn. `resume`: a session's id. `sessionId` is what the program itself reports. */
  async run(world, prompt, { resume, extra = [] } = {}) {
    const { requests } = world.models.gemini;
    const before = requests.length;
    const session = resume === undefined ? [] : ['--resume', resume];
    // With a model named, none is asked which one to take.
    const argv = [
      ...world.agents.gemini,
      '--model',
      model,
      ...session,
      ...extra,
      '--output-format',
      'json',
      '--yolo',
      '--prompt',
      prompt,
    ];
    const end = await runProgram(argv, { cwd: world.cwd, env: world.env });
    const result = parsed(end.stdout);
    return {
      ...end,
      sessionId: result?.session_id,
      answer: result?.response,
      requests: requests.slice(before).filter((request) => request.path.endsWith(`/${model}:streamGenerateContent`)),
    };
  },

  heard: heardByGemini,

  sessionFiles: (world) =>
    filesBelow(path.join(world.home, '.gemini', 'tmp')).filter((file) => /[/\\]chats[/\\].*\.jsonl?$/.test(file)),
};

/** Items of a request to the Gemini API, as in heard.mjs. */
function heardByGemini(body) {
  return body.contents.flatMap(({ role, parts }) => parts.flatMap((part) => heardPart(role, part)));
}

function heardPart(role, part) {
  if (part.functionCall)
    return [{ call: part.functionCall.id, name: part.functionCall.name, input: part.functionCall.args ?? {} }];
  if (part.functionResponse) {
    const { id, response } = part.functionResponse;
    return [{ result: id, text: response.output ?? response.error ?? JSON.stringify(response) }];
  }
  if (part.inlineData) return [{ image: part.inlineData.data }];
  if (part.thought) return [{ thinking: part.text }];
  if (typeof part.text !== 'string') return [{ unknown: Object.keys(part).join() }];
  const text = part.text.trim();
  if (text === '' || (role === 'user' && isInjected(text))) return [];
  return [{ [role === 'model' ? 'assistant' : 'user']: text }];
}

/** It may print a line of its own before the result. */
function parsed(text) {
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
  } catch {
    return undefined;
  }
}

// Not awaited: that module imports this one.
if (process.argv[1] === fileURLToPath(import.meta.url))
  void import('./gemini-writing.mjs').then(({ main }) => main(process.argv.slice(2)));
