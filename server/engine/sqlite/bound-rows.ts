/** The statements of a file's tables as the rows of one session: every one gets the session's number, and what its writer still knows is not asked for. */
import type { Place } from '../place.ts';
import type { Conversation, Id } from '../records.ts';
import type { Rows } from '../rows.ts';
import type { Link } from '../segments.ts';
import { toConversation } from './conversation-rows.ts';
import type { RecentRows } from './recent-rows.ts';
import type { Tables } from './tables.ts';
import { toHeader, toTask } from './task-row.ts';
import type { TaskHeaderRow, TaskRow } from './task-row.ts';

export function boundRows(tables: Tables, session: number, recent: RecentRows): Rows {
  const { conversations, entries, lists, scratch, sessions, tasks, values } = tables;
  const at = ({ id, namespace, key }: Place): [number, Id, string, string] => [session, id, namespace, key];
  const linkOf = (id: Id): Link | undefined => {
    const known = recent.link(id);
    if (known !== undefined) return known;
    const link = conversations.link(session, id);
    if (link !== undefined) recent.keepLink(id, link);
    return link;
  };
  const conversationsOf = (ids: readonly Id[]): Conversation[] => {
    const found: Conversation[] = [];
    for (const id of ids) {
      const link = linkOf(id);
      if (link?.deleted === null) found.push(toConversation(id, link));
    }
    return found;
  };
  /** In the order of the ids. */
  const taskRowsOf = <Row extends TaskHeaderRow>(
    ids: readonly Id[],
    read: (session: number, ids: readonly Id[]) => readonly Row[],
  ): readonly (Row | TaskRow)[] => {
    const known: TaskRow[] = [];
    for (const id of ids) {
      const row = recent.task(id);
      if (row !== undefined) known.push(row);
    }
    if (known.length === ids.length) return known;
    if (known.length === 0) return read(session, ids);
    const others = new Map(
      read(
        session,
        ids.filter((id) => recent.task(id) === undefined),
      ).map((row) => [row.id, row]),
    );
    return ids.flatMap((id) => recent.task(id) ?? others.get(id) ?? []);
  };
  return {
    get lastSeq() {
      return sessions.lastSeq(session);
    },
    get kinds() {
      return sessions.kinds(session);
    },
    get version() {
      return sessions.version(session) ?? '';
    },
    conversations: {
      link: linkOf,
      byIds: (ids) => (ids.length > few ? conversations.byIds(session, ids) : conversationsOf(ids)),
      range: (range, limit) => conversations.all(session, range, limit),
      byParent: (parent, range, limit) => conversations.byParent(session, parent, range, limit),
      ownedFrom: (conversation, parent, range, limit) => conversations.ownedFrom(session, conversation, parent, range, limit),
    },
    entries: {
      byIds: (ids) => entries.entriesById(session, ids),
      headersById: (ids) => entries.headersById(session, ids),
      range: (conversation, range, limit, filter) => entries.entries(session, conversation, range, limit, filter),
      headerRange: (conversation, range, limit, filter) => entries.headers(session, conversation, range, limit, filter),
      newestHead: (conversation, through) => entries.newestHead(session, conversation, through),
      count: (conversation, low, high) => entries.count(session, conversation, low, high),
    },
    tasks: {
      byIds: (ids) => taskRowsOf(ids, tasks.tasks).map(toTask),
      headersById: (ids) => taskRowsOf<TaskHeaderRow>(ids, tasks.headers).map(toHeader),
      range: (filter, range, limit) => tasks.range(session, filter, range, limit),
      headerRange: (filter, range, limit) => tasks.headerRange(session, filter, range, limit),
    },
    values: {
      current: (place) => values.current(at(place)),
      nextKey: (place) => values.nextKey(at(place)),
      version: (place, through) => values.version(at(place), through),
      nextVersionKey: (place) => values.nextVersionKey(at(place)),
    },
    lists: {
      elements: (place, rewind, range, limit) => lists.elements(at(place), rewind, range, limit),
      newestClear: (place, through) => lists.newestClear(at(place), through),
      removed: (place, ids, through) => lists.removed(at(place), ids, through),
    },
    scratch: {
      value: (place) => (recent.hasNoScratch(place.id) ? undefined : scratch.value(at(place))),
      nextKey: (place) => (recent.hasNoScratch(place.id) ? undefined : scratch.nextKey(at(place))),
      elements: (place, range, limit) => (recent.hasNoScratch(place.id) ? [] : scratch.elements(at(place), range, limit)),
    },
  };
}

/** More at once are read in one statement. */
const few = 12;
