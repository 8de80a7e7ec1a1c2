/** The unified diff of one file, for people: headers as git writes them, three lines of context. */
import { createTwoFilesPatch } from 'diff';
import type { ChangedFile } from '../protocol/world.ts';

/** null: there is no such side. Of files that are not text, or too large to be read, one line says so. */
export function unifiedDiff(file: ChangedFile, before: Buffer | null | undefined, after: Buffer | null | undefined): string {
  const [old, fresh] = [`a/${file.from ?? file.path}`, `b/${file.path}`];
  const head = [
    `diff --git ${old} ${fresh}`,
    ...(file.change === 'added' ? ['new file'] : []),
    ...(file.change === 'deleted' ? ['deleted file'] : []),
    ...(file.from === undefined ? [] : [`rename from ${file.from}`, `rename to ${file.path}`]),
    ...(file.change === 'mode' ? ['mode changed'] : []),
  ];
  if (before === undefined || after === undefined || file.added === null)
    return [...head, 'Not shown: no text, or too large.'].join('\n');
  const patch = createTwoFilesPatch(
    file.change === 'added' ? '/dev/null' : old,
    file.change === 'deleted' ? '/dev/null' : fresh,
    before?.toString('utf8') ?? '',
    after?.toString('utf8') ?? '',
    undefined,
    undefined,
    { context: 3 },
  );
  // Its own first line is a ruler.
  const body = patch.slice(patch.indexOf('--- ')).trimEnd();
  return [...head, ...(body.includes('\n@@') ? [body] : [])].join('\n');
}
