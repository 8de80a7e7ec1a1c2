/**
 * Antigravity's surfaces keep the same files below four roots in `~/.gemini`, on every platform. One conversation id may lie below
 * several of them, so that a conversation is known by surface and id: the terminal's by its id alone, which is what it resumes by.
 * Traces in `implicit/` are no conversations, and tokens are never read.
 */
import { posix, win32 } from 'node:path';
import type { Surface } from '../contract/harness.ts';
import type { Environment } from '../contract/shuttle.ts';

export interface AntigravitySurface {
  readonly folder: string;
  /** What stands before the conversation's id in Loom. */
  readonly prefix: string;
  readonly surface: Surface;
}

export const surfaces: readonly AntigravitySurface[] = [
  { folder: 'antigravity-cli', prefix: '', surface: 'cli' },
  { folder: 'antigravity', prefix: 'desktop:', surface: 'desktop' },
  { folder: 'antigravity-ide', prefix: 'ide:', surface: 'editor' },
  { folder: 'antigravity-acp', prefix: 'acp:', surface: 'sdk' },
];

export function surfaceOf(surface: Surface): AntigravitySurface {
  const found = surfaces.find((candidate) => candidate.surface === surface);
  if (found === undefined) throw new Error(`Antigravity has no surface ${surface}`);
  return found;
}

export function rootOf(environment: Environment, { folder }: AntigravitySurface): string {
  return (environment.platform === 'win32' ? win32 : posix).join(environment.home, '.gemini', folder);
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const idForm = new RegExp(`^${uuid}$`, 'i');
const forms = {
  store: new RegExp(`^conversations/(${uuid})\\.db$`, 'i'),
  sealed: new RegExp(`^conversations/(${uuid})\\.pb$`, 'i'),
  full: new RegExp(`^brain/(${uuid})/\\.system_generated/logs/transcript_full\\.jsonl$`, 'i'),
  cut: new RegExp(`^brain/(${uuid})/\\.system_generated/logs/transcript\\.jsonl$`, 'i'),
  artifact: new RegExp(`^brain/(${uuid})/([^/]+\\.md)$`, 'i'),
  index: /^conversation_summaries\.db$/,
} as const;
export type FileKind = keyof typeof forms;

export function isConversationId(text: string): boolean {
  return idForm.test(text);
}

/** What a file is, by its path relative to a root. */
export function kindOf(relative: string): { readonly kind: FileKind; readonly id: string; readonly name: string } | undefined {
  for (const kind of ['store', 'sealed', 'full', 'cut', 'artifact', 'index'] as const) {
    const found = forms[kind].exec(relative);
    if (found !== null) return { kind, id: (found[1] ?? '').toLowerCase(), name: found[2] ?? '' };
  }
  return undefined;
}

export interface FilePlace {
  readonly surface: AntigravitySurface;
  /** The root's path. */
  readonly root: string;
  readonly separator: '/' | '\\';
  readonly kind: FileKind;
  /** The conversation's id; of the index, that of the row. */
  readonly id: string;
  /** An artifact's file name. */
  readonly name: string;
  /** Which of the container's sessions; '' for a file of lines. */
  readonly held: string;
}

/** Of a file that was found by listing. */
export function placeOf(path: string): FilePlace | undefined {
  const hash = path.lastIndexOf('#');
  const file = hash < 0 ? path : path.slice(0, hash);
  const held = hash < 0 ? '' : path.slice(hash + 1);
  const separator = file.includes('\\') ? '\\' : '/';
  const parts = file.split(separator);
  const at = parts.findLastIndex(
    (part, index) => parts[index - 1] === '.gemini' && surfaces.some(({ folder }) => folder === part),
  );
  const surface = surfaces.find(({ folder }) => folder === parts[at]);
  const found = kindOf(parts.slice(at + 1).join('/'));
  if (at < 0 || surface === undefined || found === undefined) return undefined;
  const id = found.kind === 'index' ? held.toLowerCase() : found.id;
  return isConversationId(id)
    ? { surface, root: parts.slice(0, at + 1).join(separator), separator, kind: found.kind, id, name: found.name, held }
    : undefined;
}

export function nativeIdOf({ prefix }: AntigravitySurface, id: string): string {
  return `${prefix}${id.toLowerCase()}`;
}

/** Names of what containers hold. */
export const heldNames = { steps: 'steps', sealed: 'sealed' } as const;

/** The files that tell one conversation, best first. */
export function bodyPaths({ root, separator }: FilePlace, id: string): readonly string[] {
  const path = (...parts: readonly string[]): string => [root, ...parts].join(separator);
  const logs = ['brain', id, '.system_generated', 'logs'];
  return [
    `${path('conversations', `${id}.db`)}#${heldNames.steps}`,
    path(...logs, 'transcript_full.jsonl'),
    path(...logs, 'transcript.jsonl'),
    `${path('conversations', `${id}.db`)}#${heldNames.sealed}`,
    `${path('conversations', `${id}.pb`)}#${heldNames.sealed}`,
  ];
}

export function indexPath({ root, separator }: FilePlace, id: string): string {
  return `${[root, 'conversation_summaries.db'].join(separator)}#${id}`;
}
