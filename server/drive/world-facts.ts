/**
 * The worktree as git tells it, for the baton's world section. The git program with plumbing commands, a clean environment, no
 * optional locks (so that not even the index is touched), no prompts, bounded in time and size. No git, no repository: null.
 */
import { execFile } from 'node:child_process';
import type { WorldFacts } from '../baton/baton.ts';

const timeoutMs = 5000;
const mostFiles = 200;

/** `variables`: PATH and HOME are taken, nothing else of the process. */
export async function worldFacts(cwd: string, now: number, variables: NodeJS.ProcessEnv): Promise<WorldFacts | null> {
  const git = (...argv: string[]): Promise<string | null> =>
    new Promise((resolve) => {
      const env = {
        PATH: variables['PATH'] ?? '',
        HOME: variables['HOME'] ?? '',
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
        GIT_OPTIONAL_LOCKS: '0',
      };
      execFile(
        'git',
        ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=', ...argv],
        { cwd, env, timeout: timeoutMs, maxBuffer: 8 * 1024 * 1024, windowsHide: true },
        (error, stdout) => resolve(error === null ? stdout : null),
      );
    });
  const status = await git('status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--ignore-submodules=dirty');
  return status === null ? null : parseStatus(status, now);
}

/** `git status --porcelain=v2 --branch -z` (git 2.11 and newer). */
export function parseStatus(status: string, at: number): WorldFacts {
  let head: string | null = null;
  let branch: string | null = null;
  let ahead: number | undefined;
  let behind: number | undefined;
  const files: { path: string; change: string }[] = [];
  const fields = status.split('\0');
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? '';
    if (field.startsWith('# branch.oid ')) head = field.slice(13) === '(initial)' ? null : field.slice(13);
    else if (field.startsWith('# branch.head ')) branch = field.slice(14) === '(detached)' ? null : field.slice(14);
    else if (field.startsWith('# branch.ab ')) {
      const match = /\+(\d+) -(\d+)/u.exec(field);
      ahead = Number(match?.[1] ?? 0);
      behind = Number(match?.[2] ?? 0);
    } else if (field.startsWith('1 '))
      files.push({ change: field.slice(2, 4).replaceAll('.', ' ').trim(), path: field.split(' ').slice(8).join(' ') });
    else if (field.startsWith('2 ')) {
      files.push({ change: 'R', path: field.split(' ').slice(9).join(' ') });
      i++;
    } else if (field.startsWith('u ')) files.push({ change: 'conflict', path: field.split(' ').slice(10).join(' ') });
    else if (field.startsWith('? ')) files.push({ change: 'untracked', path: field.slice(2) });
  }
  return {
    at,
    head,
    branch,
    dirtyFiles: files.slice(0, mostFiles),
    dirtyTotal: files.length,
    ...(ahead === undefined ? {} : { ahead }),
    ...(behind === undefined ? {} : { behind }),
  };
}
