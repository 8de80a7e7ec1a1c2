/** Where sessions of Gemini CLI lie, and the small file that says which project each folder belongs to. */
import { posix, win32 } from 'node:path';
import type { Environment, Find, SessionRoot } from '../contract/shuttle.ts';
import { geminiHome, isSessionPath, sessionsRoot } from './folders.ts';

export const geminiFind: Find = {
  roots(environment: Environment): readonly SessionRoot[] {
    return [
      {
        path: sessionsRoot(environment),
        depth: 3,
        matches: isSessionPath,
        enters(relative) {
          const [, chats = 'chats'] = relative.split('/');
          return chats === 'chats';
        },
      },
    ];
  },
  sidecarPaths(environment: Environment): readonly string[] {
    return [(environment.platform === 'win32' ? win32 : posix).join(geminiHome(environment), 'projects.json')];
  },
};
