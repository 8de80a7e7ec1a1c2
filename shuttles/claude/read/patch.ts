/** `structuredPatch` of Write and Edit (a list of hunks with prefixed lines) as a unified diff and its counts. */
import type { FileChange } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { field, num, objects, str, strings } from '../../kit/fields.ts';

/** Longer diffs are counted, not kept: the raw record has them. */
const longest = 200_000;

export function fileChange(facts: JsonObject): FileChange | undefined {
  const path = str(facts, 'filePath');
  if (path === undefined) return undefined;
  const hunks = objects(facts, 'structuredPatch');
  const created = str(facts, 'type') === 'create' || (field(facts, 'originalFile') === null && hunks.length === 0);
  const content = str(facts, 'content');
  if (created && content !== undefined) return creation(path, content);
  const lines = hunks.flatMap((hunk) => strings(hunk, 'lines'));
  const diff = hunks.map((hunk) => [header(hunk), ...strings(hunk, 'lines')].join('\n')).join('\n');
  return {
    path,
    change: 'update',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    ...(diff === '' || diff.length > longest ? {} : { diff: `${diff}\n` }),
  };
}

function header(hunk: JsonObject): string {
  const at = (name: string): number => num(hunk, name) ?? 0;
  return `@@ -${at('oldStart')},${at('oldLines')} +${at('newStart')},${at('newLines')} @@`;
}

function creation(path: string, content: string): FileChange {
  const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
  const small = lines.length > 0 && content.length <= longest;
  const ending = content.endsWith('\n') ? '' : '\n\\ No newline at end of file';
  return {
    path,
    change: 'add',
    added: lines.length,
    removed: 0,
    ...(small ? { diff: `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}${ending}\n` } : {}),
  };
}
