/** `loom snapshot diff`: what differs between two snapshots, as text that is safe for a terminal. */
import { requests } from '../../protocol/requests.ts';
import type { ChangedFile, DiffResult, SnapshotContent } from '../../protocol/world.ts';
import { unifiedDiff } from '../../world/unified.ts';
import { plain } from '../terminal.ts';
import { done, flag } from './command.ts';
import type { CommandContext, Outcome } from './command.ts';
import { counts, fileLine } from './snapshot-words.ts';

export async function diff({ parsed, terminal, request }: CommandContext, words: readonly string[]): Promise<Outcome> {
  const numbers = words.map((word) => (/^\d+$/u.test(word) ? Number(word) : NaN));
  if (numbers.length < 1 || numbers.length > 2 || numbers.some((number) => !Number.isSafeInteger(number)))
    return { usage: 'loom snapshot diff takes one or two numbers of snapshots: see `loom snapshot list`.' };
  const [before = 0, after = null] = numbers;
  const result = await request<DiffResult>(requests.snapshotDiff.method, { before, after });
  if (flag(parsed, 'json')) {
    terminal.json(result);
    return done;
  }
  if (result.filesTotal === 0) terminal.note('No differences.');
  const side = async (snapshot: number, path: string): Promise<Buffer | undefined> => {
    const content = await request<SnapshotContent>(requests.snapshotContent.method, { snapshot, path });
    return content.ok && !content.binary ? Buffer.from(content.base64, 'base64') : undefined;
  };
  const text = async (file: ChangedFile): Promise<string> =>
    unifiedDiff(
      file,
      file.change === 'added' ? null : await side(result.before.number, file.from ?? file.path),
      file.change === 'deleted' ? null : await side(result.after.number, file.path),
    );
  for (const file of result.files) terminal.line(plain(flag(parsed, 'stat') ? fileLine(file) : await text(file)));
  if (result.filesTotal > result.files.length)
    terminal.note(`… and ${counts(result.filesTotal - result.files.length, 'more file')}`);
  return done;
}
