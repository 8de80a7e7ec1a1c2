/**
 * How OpenClaw is started (2026.9.6). Its sessions belong to its gateway, and its terminal UI is a client of that one: without a running
 * gateway it says so and waits (`openclaw chat` needs none and refuses beside one). People of chats write into `agent:<id>:main` and into
 * the keys of channels: what Loom begins has a key of its own, under the person's default agent, and delivers nothing to a chat.
 */
import { createHash } from 'node:crypto';
import type { Command, Launch } from '../contract/shuttle.ts';

export const openclawLaunch: Launch = {
  program: 'openclaw',
  versionArgv: ['openclaw', '--version'],
  /** It finds sessions of the last seven days by their id, and knows no first prompt. */
  resume(nativeId: string, cwd: string): Command {
    return { argv: ['openclaw', 'resume', nativeId], cwd, env: {} };
  },
  /** Its tools read everywhere, unless the person keeps them to the workspace or in a sandbox. */
  begin({ prompt, cwd }) {
    return { argv: ['openclaw', 'tui', '--session', keyOf(prompt), '--message', prompt], cwd, env: {} };
  },
  worksElsewhere: true,
  beginWarnings: [
    'OpenClaw works in the folder of its agent, and not in the thread’s; its gateway must be running, else its terminal waits for it.',
    'Agents of the same gateway, those that answer chats among them, can read sessions of each other unless tools.sessions.visibility in its configuration is narrowed.',
  ],
  oldest: '2026.9.6',
  install: 'npm install -g openclaw',
};

/** Of a prompt that is made for one hand-over. It ends in a UUID: OpenClaw makes short names of such keys. */
function keyOf(prompt: string): string {
  const hex = createHash('sha256').update(prompt, 'utf8').digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return `loom-${parts.join('-')}`;
}
