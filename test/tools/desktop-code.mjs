/**
 * The person's own VS Code: the program `code` on PATH, where it is a desktop's and new enough. Inside a remote window or a browser's
 * VS Code `code` only speaks to the window it runs in and cannot load an extension under development.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const oldest = { major: 1, minor: 101 };

/** The first file of that name on PATH. */
function onPath(names) {
  const folders = (Object.entries(process.env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '').split(path.delimiter);
  for (const folder of folders) {
    for (const name of names) {
      const file = path.join(folder, name);
      if (folder !== '' && fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
    }
  }
  return undefined;
}

/** A `.cmd` needs a shell; its arguments are quoted for cmd.exe, and none of ours holds a quote. */
function call(file, args, options) {
  if (process.platform !== 'win32') return spawnSync(file, args, options);
  const line = [file, ...args].map((a) => `"${a}"`).join(' ');
  return spawnSync(`"${line}"`, { ...options, shell: true });
}

/** `{file}`, or `{reason}` why there is none to use. */
export function findDesktopCode(env = process.env) {
  const file = onPath(process.platform === 'win32' ? ['code.cmd'] : ['code']);
  if (file === undefined) return { reason: 'there is no `code` on PATH' };
  if (env.VSCODE_IPC_HOOK_CLI !== undefined)
    return { reason: 'the `code` of a remote window cannot load an extension from a folder' };
  // In WSL it is Windows's, which knows this folder by another name.
  if (env.WSL_DISTRO_NAME !== undefined) return { reason: 'the `code` of WSL cannot load an extension from a folder' };
  if (process.platform === 'linux' && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined)
    return { reason: 'there is no display for a desktop VS Code' };
  const told = call(file, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  const version = /^(\d+)\.(\d+)\.\d+/.exec(told.stdout ?? '');
  if (version === null) return { reason: `${file} does not tell its version` };
  if (Number(version[1]) === oldest.major && Number(version[2]) < oldest.minor)
    return { reason: `${file} is VS Code ${version[0]}; Loom needs ${oldest.major}.${oldest.minor}` };
  return { file };
}

/** Opens `folder` with the extension of `root` loaded. Returns when VS Code has taken over; throws when it did not. */
export function openDesktopCode(file, { root, folder, args = [], env = process.env }) {
  const done = call(file, [...args, `--extensionDevelopmentPath=${root}`, '--new-window', folder], {
    env,
    stdio: 'inherit',
    timeout: 120_000,
  });
  if (done.status !== 0) throw new Error(`${file} ended with ${done.status ?? done.error?.message}`);
}
