/**
 * File changes: from the UI log (`changes`: path to add, delete or update with a unified diff) and, where a rollout has only
 * the model's patch, from the patch text. Diffs begin at their first @@ line.
 */
import type { FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { asObject, obj, str } from '../../kit/fields.ts';
import type { Plain } from './state.ts';

type Change = Plain<FileChange>;

/** Longest diff of a file, and of all files of one action, that is kept with an entry; the counts are right in any case. */
const longestDiff = 128 * 1024;
const longestDiffs = 512 * 1024;
const mostFiles = 200;

export function changesOf(item: JsonObject): readonly Change[] {
  const changes = obj(item, 'changes') ?? {};
  let room = longestDiffs;
  return Object.entries(changes)
    .slice(0, mostFiles)
    .flatMap(([path, value]) => {
      const change = asObject(value);
      if (change === undefined) return [];
      const { diff: hunks, ...counted } = changeOf(path, change);
      room -= hunks?.length ?? 0;
      return [room < 0 || hunks === undefined ? counted : { ...counted, diff: hunks }];
    });
}

function changeOf(path: string, change: JsonObject): Change {
  const type = str(change, 'type') ?? Object.keys(change)[0] ?? '';
  // Before the tagged form, the kind was the name of the only member.
  const body = asObject(change[type]) ?? change;
  const content = str(body, 'content') ?? '';
  if (type === 'add') return whole(path, 'add', '+', content);
  if (type === 'delete') return whole(path, 'delete', '-', content);
  const movedTo = str(body, 'move_path');
  const hunks = fromHunks(str(body, 'unified_diff') ?? '');
  const counts = { added: starting(hunks, '+'), removed: starting(hunks, '-') };
  return {
    path,
    change: movedTo === undefined ? 'update' : 'move',
    ...(movedTo !== undefined && { movedTo }),
    ...counts,
    ...diff(hunks),
  };
}

/** `*** Begin Patch` text as files. The patch has no line numbers, so there is no diff. */
export function patchFiles(patch: string): readonly Change[] {
  const files: {
    path: string;
    change: 'add' | 'update' | 'delete' | 'move';
    movedTo?: string;
    added: number;
    removed: number;
  }[] = [];
  for (const line of patch.split('\n')) {
    const header = /^\*\*\* (Add|Update|Delete) File: (.+?)\r?$/.exec(line);
    const file = files.at(-1);
    if (header !== null && files.length < mostFiles) {
      const change = header[1] === 'Add' ? 'add' : header[1] === 'Delete' ? 'delete' : 'update';
      files.push({ path: header[2] ?? '', change, added: 0, removed: 0 });
    } else if (file !== undefined) {
      const moved = /^\*\*\* Move to: (.+?)\r?$/.exec(line)?.[1];
      if (moved !== undefined) Object.assign(file, { change: 'move', movedTo: moved });
      else if (line.startsWith('+')) file.added += 1;
      else if (line.startsWith('-')) file.removed += 1;
    }
  }
  return files;
}

function whole(path: string, change: 'add' | 'delete', sign: '+' | '-', content: string): Change {
  const ended = content.endsWith('\n');
  const lines = content === '' ? [] : (ended ? content.slice(0, -1) : content).split('\n');
  const range = sign === '+' ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  const end = ended || content === '' ? '' : '\n\\ No newline at end of file';
  const hunk = lines.length === 0 ? '' : `${range}\n${lines.map((line) => sign + line).join('\n')}${end}`;
  return { path, change, added: sign === '+' ? lines.length : 0, removed: sign === '-' ? lines.length : 0, ...diff(hunk) };
}

function diff(hunks: string): { readonly diff?: string } {
  return hunks === '' || hunks.length > longestDiff ? {} : { diff: hunks };
}

function fromHunks(text: string): string {
  const first = text.startsWith('@@') ? 0 : text.indexOf('\n@@') + 1;
  return first === 0 && !text.startsWith('@@') ? '' : text.slice(first);
}

function starting(hunks: string, sign: '+' | '-'): number {
  let lines = 0;
  for (const line of hunks.split('\n')) if (line.startsWith(sign)) lines += 1;
  return lines;
}
