/** The surface's index of conversations: a row says the title, the folder and who started it, of which the row alone knows. */
import type { HeldSession, Tables } from '../../contract/container.ts';
import type { NativeRecord } from '../../contract/read.ts';
import { isoTime, parseJson } from '../../kit/fields.ts';
import { isConversationId } from '../places.ts';
import { pathOfUri } from '../uri.ts';
import { record } from './step.ts';

type Row = Readonly<Record<string, unknown>>;

export function indexSessions(tables: Tables): readonly HeldSession[] {
  return tables.all('SELECT conversation_id, last_modified_time FROM conversation_summaries').flatMap((row) => {
    const id = text(row, 'conversation_id')?.toLowerCase() ?? '';
    const updatedAt = isoTime(text(row, 'last_modified_time'));
    return isConversationId(id) ? [{ name: id, length: 1, ...(updatedAt === null ? {} : { updatedAt }) }] : [];
  });
}

export function* indexRecords(tables: Tables, id: string, from: number): Iterable<NativeRecord> {
  if (from > 0) return;
  const [row] = tables.all(
    'SELECT title, workspace_uris, last_modified_time, parent_conversation_id FROM conversation_summaries WHERE lower(conversation_id) = ?',
    id,
  );
  if (row === undefined) return;
  yield {
    ok: true,
    offset: 0,
    length: 1,
    value: record({
      record: 'summary',
      title: text(row, 'title'),
      cwd: folderIn(text(row, 'workspace_uris')),
      updatedAt: isoTime(text(row, 'last_modified_time')) ?? undefined,
      parent: text(row, 'parent_conversation_id'),
    }),
  };
}

function folderIn(uris: string | undefined): string | undefined {
  const list = parseJson(uris ?? '');
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return typeof first === 'string' ? pathOfUri(first) : undefined;
}

function text(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
