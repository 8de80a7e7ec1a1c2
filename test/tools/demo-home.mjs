/**
 * A home folder with sample sessions of Claude Code and Codex, a project folder that they speak of, and room for a ledger: to try Loom
 * without sessions of one's own, and for the editor tests. Times are relative to now, so that a list looks lived in.
 */
import fs from 'node:fs';
import path from 'node:path';
import { shopFiles, writeStories } from './demo/stories.mjs';

/**
 * Fills `home` (which exists). Returns `{home, folder, env, sessions}`: the project folder, the variables under which every program
 * looks into this home, and the two long sessions, to be continued by a test.
 */
export function makeDemoHome(home, now = Date.now()) {
  const folder = path.join(home, 'shop');
  for (const [name, text] of Object.entries(shopFiles)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  // VS Code asks the login shell for the PATH: in this home it must be the one that the demo was started with.
  if (process.platform !== 'win32')
    fs.writeFileSync(path.join(home, '.profile'), `export PATH='${(process.env.PATH ?? '').replaceAll("'", "'\\''")}'\n`);
  const sessions = writeStories({ home, cwd: folder, now });
  const env = {
    HOME: home,
    USERPROFILE: home,
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    CODEX_HOME: path.join(home, '.codex'),
    LOOM_HOME: path.join(home, 'ledger'),
  };
  return { home, folder, env, sessions };
}
