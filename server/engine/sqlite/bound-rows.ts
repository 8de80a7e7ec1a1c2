/** The statements of a file's tables as the rows of one session: every one gets the session's number. */
import type { Place } from '../place.ts';
import type { Id } from '../records.ts';
import type { Rows } from '../rows.ts';
import type { Tables } from './tables.ts';

export function boundRows(tables: Tables, session: number): Rows {
  const { conversations, entries, lists, scratch, sessions, tasks, values } = tables;
  const at = ({ id, namespace, key }: Place): [number, Id, string, string] => [session, id, namespace, key];
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
      link: (id) => conversations.link(session, id),
      byIds: (ids) => conversations.byIds(session, ids),
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
      byIds: (ids) => tasks.tasks(session, ids),
      headersById: (ids) => tasks.headers(session, ids),
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
      value: (place) => scratch.value(at(place)),
      nextKey: (place) => scratch.nextKey(at(place)),
      elements: (place, range, limit) => scratch.elements(at(place), range, limit),
    },
  };
}
