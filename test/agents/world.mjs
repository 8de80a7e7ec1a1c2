/**
 * A world for one run: a HOME of its own under the temp folder with a small git project, both agents configured for the
 * loopback models, and the environment they get. Nothing of the caller's environment passes but PATH's system folders;
 * every way out of the machine is closed by a proxy that does not exist.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startMessagesApi } from './messages-api.mjs';
import { startResponsesApi } from './responses-api.mjs';

const apiKey = 'sk-ant-loopback-0000';
const copying = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.sock') };
const removing = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };
const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(':');

/**
 * @param {{ bin: string, claude: string, codex: string }} agents
 * @param options `folder`: the project's folder below the home; `own`: both programs keep their files in folders of their own
 *   that their variables name
 */
export async function makeWorld(agents, { folder = 'shop', own = false } = {}) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'la-')));
  const home = path.join(root, 'h');
  const cwd = path.join(home, folder);
  const claudeHome = path.join(home, own ? 'claude files' : '.claude');
  const codexHome = path.join(home, own ? 'codex files' : '.codex');
  for (const made of [cwd, ...(own ? [claudeHome] : []), codexHome, path.join(root, 't'), path.join(root, 'ledger')])
    fs.mkdirSync(made, { recursive: true });
  const claudeApi = await startMessagesApi(cwd);
  const codexApi = await startResponsesApi();
  makeProject(cwd, home);
  configureClaude(own ? claudeHome : home, cwd);
  configureCodex(codexHome, cwd, codexApi.url);
  const env = {
    HOME: home,
    PATH: `${agents.bin}:${systemPath}`,
    TMPDIR: path.join(root, 't'),
    CLAUDE_CODE_TMPDIR: path.join(root, 't'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    ANTHROPIC_BASE_URL: claudeApi.url,
    ANTHROPIC_API_KEY: apiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
    CLAUDE_CODE_ENABLE_TASKS: '0',
    ...(own && { CLAUDE_CONFIG_DIR: claudeHome, CODEX_HOME: codexHome }),
  };
  const folders = ['h', 't', 'ledger'];
  /** Keeps the world as it is now; `restore` brings it back, with nothing heard by the models. No process may run in it. */
  const save = () => folders.forEach((name) => fs.cpSync(path.join(root, name), path.join(root, 'saved', name), copying));
  const restore = () => {
    for (const name of fs.readdirSync(root)) if (name !== 'saved') fs.rmSync(path.join(root, name), removing);
    for (const name of folders) fs.cpSync(path.join(root, 'saved', name), path.join(root, name), copying);
    claudeApi.requests.length = 0;
    codexApi.requests.length = 0;
    for (const model of Object.values(world.models)) model.requests.length = 0;
  };
  const close = async ({ keep = false } = {}) => {
    await claudeApi.close();
    await codexApi.close();
    for (const end of world.ends) await end();
    if (keep) console.log(`      kept: ${root}`);
    else fs.rmSync(root, removing);
  };
  const world = {
    agents,
    /** Loopback models of the agents that were added, by harness, and what is to be ended with the world (more-agents.mjs). */
    models: {},
    ends: [],
    root,
    home,
    claudeHome,
    codexHome,
    cwd,
    ledger: path.join(root, 'ledger'),
    env,
    claudeApi,
    codexApi,
    save,
    restore,
    close,
  };
  return world;
}

function makeProject(cwd, home) {
  fs.writeFileSync(path.join(cwd, 'README.md'), '# Shop\n');
  fs.writeFileSync(path.join(cwd, 'price.js'), 'export const price = 10;\n');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.org', ...args], {
      cwd,
      stdio: 'pipe',
      env: { HOME: home, PATH: systemPath, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'The shop');
}

/** What a first start would leave, so that the terminal UI starts without questions. */
function configureClaude(folder, cwd) {
  const settings = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  fs.writeFileSync(path.join(folder, '.claude.json'), JSON.stringify(settings));
}

function configureCodex(folder, cwd, url) {
  const lines = [
    'model = "gpt-5.5"',
    'model_provider = "loopback"',
    'approval_policy = "never"',
    'sandbox_mode = "danger-full-access"',
    'check_for_update_on_startup = false',
    '[model_providers.loopback]',
    'name = "Loopback"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    '[tools.update_plan]',
    'enabled = true',
    // Its terminal would copy the whole program into the home and leave a daemon behind.
    '[features]',
    'daemon_auto_start = false',
    '[analytics]',
    'enabled = false',
    `[projects.${JSON.stringify(cwd)}]`,
    'trust_level = "trusted"',
  ];
  fs.writeFileSync(path.join(folder, 'config.toml'), `${lines.join('\n')}\n`);
}
