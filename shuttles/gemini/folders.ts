/**
 * Where Gemini CLI keeps its sessions: `~/.gemini/tmp/<project>/chats` on every platform, one file a session and one folder with the
 * files of its subagents. The project's folder is named after the last part of its path (older versions: after a hash of the path) and
 * is never decoded: `.project_root` in it and `projects.json` say whose it is. Saved checkpoints and `logs.json` are not read: they
 * repeat what sessions say, without saying of which one.
 */
import { posix, win32 } from 'node:path';
import type { Environment } from '../contract/shuttle.ts';

export function geminiHome(environment: Environment): string {
  return (environment.platform === 'win32' ? win32 : posix).join(environment.home, '.gemini');
}

export function sessionsRoot(environment: Environment): string {
  return (environment.platform === 'win32' ? win32 : posix).join(geminiHome(environment), 'tmp');
}

/** Ids are claims: they become arguments and parts of names, so that they begin with no dash and hold no separator. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export function isSessionId(text: string): boolean {
  return idForm.test(text);
}

const mainFile = /^[^/]+\/chats\/session-[^/]+\.jsonl?$/;
const childFile = /^[^/]+\/chats\/[^/]+\/[^/]+\.jsonl$/;

/** Relative to `sessionsRoot`. What is left of a write (`.tmp-…`) or set aside (`.unreadable-…`) is none. */
export function isSessionPath(relative: string): boolean {
  return !relative.split('/').includes('..') && (mainFile.test(relative) || childFile.test(relative));
}

export interface SessionPlace {
  /** As the path writes separators. */
  readonly separator: '/' | '\\';
  /** The folder `chats`. */
  readonly chats: string;
  /** The project's folder and its name. */
  readonly project: string;
  readonly projectName: string;
  /** Name without its ending. */
  readonly stem: string;
  /** Of a subagent's file: the folder's name, which is the id of the session that started it. */
  readonly parent: string | undefined;
}

/** Of a file that was found by listing; a session in a document has a name behind `#`. */
export function placeOf(path: string): SessionPlace | undefined {
  const file = path.replace(/#[^#/\\]*$/, '');
  const separator = file.includes('\\') ? '\\' : '/';
  const parts = file.split(separator);
  const name = parts.pop() ?? '';
  const chatsAt = parts.lastIndexOf('chats');
  if (chatsAt < 1 || chatsAt < parts.length - 2) return undefined;
  return {
    separator,
    chats: parts.slice(0, chatsAt + 1).join(separator),
    project: parts.slice(0, chatsAt).join(separator),
    projectName: parts[chatsAt - 1] ?? '',
    stem: name.replace(/\.jsonl?$/, ''),
    parent: parts[chatsAt + 1],
  };
}
