/**
 * Who holds a session, as far as it can be told: Gemini CLI writes no registry, takes no lock and keeps its file closed between two appends
 * (0.61.0). A running one is found by its arguments and its folder, when it was started with a session or has written to one since
 * (kit/folder-holders.ts). It starts itself again with other limits of memory, which is one program. Whether it works is not told, and
 * nothing is on Windows.
 */
import { createHash } from 'node:crypto';
import type { Environment, Holder, Machine, Presence, RunningProgram } from '../contract/shuttle.ts';
import { asStr, obj, parseObject } from '../kit/fields.ts';
import { folderHolders } from '../kit/folder-holders.ts';
import type { FolderSession } from '../kit/folder-holders.ts';
import { geminiHome, isSessionId, isSessionPath, sessionsRoot } from './folders.ts';

export const geminiPresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    const root = sessionsRoot(environment);
    if (environment.platform === 'win32' || machine.list(root).length === 0) return [];
    const programs = machine.programs?.(isGemini) ?? [];
    if (programs.length === 0) return [];
    return folderHolders({
      programs,
      sessionsOf: (cwd) => projectsOf(cwd, environment, machine).flatMap((project) => sessionsIn(root, project, machine)),
      named,
    });
  },
};

/** `node …/bin/gemini …`, `node …/@google/gemini-cli/bundle/gemini.js …`, or a program of that name. */
function isGemini(argv: readonly string[]): boolean {
  const script = argv.findIndex((part, i) => i > 0 && !part.startsWith('-'));
  return [argv[0], argv[script]].some(
    (part) => part !== undefined && (/(?:^|\/)gemini(?:\.js)?$/.test(part) || /\/@google\/gemini-cli\/[^ ]*\.js$/.test(part)),
  );
}

function named({ argv }: RunningProgram): string | undefined {
  const at = argv.findIndex((part) => part === '--resume' || part === '-r');
  const id = at < 0 ? undefined : argv[at + 1];
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** Names of the folders below the root that are that folder's. */
function projectsOf(cwd: string, environment: Environment, machine: Machine): readonly string[] {
  const root = sessionsRoot(environment);
  const listed = obj(parseObject(machine.text(`${geminiHome(environment)}/projects.json`) ?? ''), 'projects') ?? {};
  const slug = Object.hasOwn(listed, cwd) ? asStr(listed[cwd]) : undefined;
  const hash = createHash('sha256').update(cwd).digest('hex');
  return machine.list(root).filter((name) => {
    const marked = machine.text(`${root}/${name}/.project_root`)?.trim();
    return marked === undefined || marked === '' ? name === slug || name === hash : marked === cwd;
  });
}

function sessionsIn(root: string, project: string, machine: Machine): readonly FolderSession[] {
  const chats = `${project}/chats`;
  return machine.list(`${root}/${chats}`).flatMap((name) => {
    const glance = isSessionPath(`${chats}/${name}`) ? machine.glance?.(`${root}/${chats}/${name}`) : undefined;
    const id = /"sessionId"\s*:\s*"([^"\\]{1,128})"/.exec(glance?.head ?? '')?.[1];
    return glance === undefined || id === undefined || !isSessionId(id) ? [] : [{ nativeId: id, ...glance }];
  });
}
