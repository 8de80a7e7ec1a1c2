/**
 * Facts from small files beside the sessions: the title file that Claude Code keeps when a title outlives `/clear`, and the
 * list files of Claude Desktop (`local_*.json`), which name their transcript by `cliSessionId`.
 */
import type { SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { bool, filled, num, oneLine, parseObject, str, strings } from '../../kit/fields.ts';
import type { JsonObject } from '../../contract/json.ts';
import { titleFile } from '../names.ts';

/** The title file may be older than the last title record, so that it never wins over one. */
export function sidecarFacts(identity: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  if (identity.childOf !== undefined) return {};
  const desktop = coworkFile(path) === undefined ? codeTab(identity, path, sidecars) : cowork(path, sidecars);
  const title = filled(parseObject(sidecars.text(titleFile(path)) ?? ''), 'customTitle');
  return { ...desktop, ...(title === undefined ? {} : { generatedTitle: oneLine(title, 200) }) };
}

function separator(path: string): string {
  return path.includes('\\') ? '\\' : '/';
}

/** `…/local_<id>/.claude/projects/…` has its list file at `…/local_<id>.json`. */
function coworkFile(path: string): string | undefined {
  const folder = /^(.*[\\/]local-agent-mode-sessions[\\/].*[\\/]local_[^\\/]+)[\\/]\.claude[\\/]projects[\\/]/.exec(path)?.[1];
  return folder === undefined ? undefined : `${folder}.json`;
}

/** Cowork works in a virtual machine: the folder that the person chose is the project, not the machine's own path. */
function cowork(path: string, sidecars: Sidecars): SessionFacts {
  const file = parseObject(sidecars.text(coworkFile(path) ?? '') ?? '');
  if (file === undefined) return {};
  const folder = strings(file, 'userSelectedFolders')[0];
  return { ...listFacts(file), ...(folder === undefined ? {} : { startCwd: folder, cwd: folder }) };
}

/** The newest list file that names the session. A file is parsed only when it has the session's id somewhere. */
function codeTab(identity: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  const home = /^(.*?)[\\/]\.claude[\\/]projects[\\/]/.exec(path)?.[1];
  if (home === undefined) return {};
  let newest: { readonly facts: SessionFacts; readonly at: number } | undefined;
  for (const text of listFiles(home, separator(path), sidecars)) {
    if (!text.includes(identity.nativeId)) continue;
    const file = parseObject(text);
    if (file === undefined || str(file, 'cliSessionId') !== identity.nativeId) continue;
    const at = num(file, 'lastActivityAt') ?? 0;
    if (newest === undefined || at > newest.at) newest = { facts: listFacts(file), at };
  }
  return newest?.facts ?? {};
}

function* listFiles(home: string, at: string, sidecars: Sidecars): Generator<string> {
  for (const data of desktopData) {
    const root = [home, ...data, 'claude-code-sessions'].join(at);
    for (const account of sidecars.list(root))
      for (const organisation of sidecars.list([root, account].join(at)))
        for (const name of sidecars.list([root, account, organisation].join(at)))
          if (/^local_[^\\/]+\.json$/.test(name)) yield sidecars.text([root, account, organisation, name].join(at)) ?? '';
  }
}

function listFacts(file: JsonObject): SessionFacts {
  const title = filled(file, 'title');
  const line = title === undefined ? undefined : oneLine(title, 200);
  const archived = bool(file, 'isArchived');
  const byPerson = str(file, 'titleSource') === 'user' || str(file, 'titleSource') === 'manual';
  return {
    ...(line === undefined ? {} : byPerson ? { customTitle: line } : { generatedTitle: line }),
    ...(archived === undefined ? {} : { archived }),
  };
}

/** Claude Desktop's folders below a home that has the usual layout; where variables moved them, titles come from the records. */
const desktopData: readonly (readonly string[])[] = [
  ['.config', 'Claude'],
  ['Library', 'Application Support', 'Claude'],
  ['Library', 'Application Support', 'Claude-3p'],
  ['AppData', 'Roaming', 'Claude'],
  ['AppData', 'Local', 'Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming', 'Claude'],
];
