/**
 * How pi is started on a session: `--session` takes the file, or the id when it is run in the session's folder; it appends to the same
 * file (0.73, 1.6). omp's files begin with a title line that pi refuses and 0.73 overwrites, so that they are only ever given to omp.
 */
import type { Command, Launch } from '../contract/shuttle.ts';
import { isOmpPath } from './folders.ts';

export const piLaunch: Launch = {
  program: 'pi',
  versionArgv: ['pi', '--version'],
  resume(nativeId: string, cwd: string, prompt?: string, path?: string): Command {
    const program = path !== undefined && isOmpPath(path) ? 'omp' : 'pi';
    // Ids begin with no dash and prompts are Loom's own words; 0.73 knows no `--`.
    return {
      argv: [program, '--session', path ?? nativeId, ...(prompt === undefined ? [] : [prompt])],
      cwd,
      env: {},
    };
  },
  /** It reads everywhere. */
  begin({ prompt, cwd }) {
    return { argv: ['pi', prompt], cwd, env: {} };
  },
  /** Older ones were not tried. */
  oldest: '0.73.1',
  install: 'npm install -g @earendil-works/pi-coding-agent',
};
