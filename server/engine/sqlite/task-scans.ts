/** Scans over `engine_tasks`: a statement for each shape of a query, prepared when it is first asked, so that a filter that is not given costs nothing. */
import type { Database, Statement } from 'better-sqlite3';
import type { Order, Range } from '../paging.ts';
import type { TaskFilter } from '../rows.ts';
import { integer, text } from './parameter.ts';
import { taskKeys } from './task-key.ts';

export type TaskScan<Row> = (session: number, filter: TaskFilter, range: Range, limit: number) => Row[];

/** Which tasks a scan is of; each has its index. */
type Extent = 'session' | 'conversation' | 'conversations';
type Shape = Omit<TaskFilter, 'conversations' | 'role' | 'kind'> & {
  readonly extent: Extent;
  readonly order: Order;
  readonly role: boolean;
  readonly kind: boolean;
};

/** `columns` of `engine_tasks AS t`. */
export function taskScans<Row>(db: Database, columns: string): TaskScan<Row> {
  const statements = new Map<string, Statement<(string | number)[], Row>>();
  const statement = (shape: Shape): Statement<(string | number)[], Row> => {
    const { order, extent, live, role, kind, abort, background } = shape;
    const key = `${order} ${extent} ${live} ${role} ${kind} ${abort} ${background}`;
    const known = statements.get(key);
    if (known !== undefined) return known;
    const prepared = db.prepare<(string | number)[], Row>(scan(columns, shape));
    statements.set(key, prepared);
    return prepared;
  };
  // What the driver and those who ask whether a conversation is busy run all the time.
  for (const order of ['asc', 'desc'] as const)
    for (const extent of ['session', 'conversation', 'conversations'] as const)
      for (const live of [false, true]) {
        statement({ order, extent, live, role: false, kind: false });
        statement({ order, extent, live, role: false, kind: false, background: false });
      }

  return (session, filter, range, limit) => {
    const { conversations, role, kind, ...flags } = filter;
    const extent = conversations === undefined ? 'session' : conversations.length === 1 ? 'conversation' : 'conversations';
    const shape = { ...flags, extent, order: range.order, role: role !== undefined, kind: kind !== undefined } as const;
    const [only] = conversations ?? [];
    const of =
      extent === 'session'
        ? [session]
        : extent === 'conversation' && only !== undefined
          ? [session, only]
          : [JSON.stringify(conversations), session];
    const given = [...(role === undefined ? [] : [role]), ...(kind === undefined ? [] : [kind])];
    return statement(shape).all(...of, ...taskKeys(session, range), ...given, limit);
  };
}

function scan(columns: string, { extent, order, live, role, kind, abort, background }: Shape): string {
  const from = {
    session: `engine_tasks AS t ${live ? 'INDEXED BY engine_tasks_live' : 'NOT INDEXED'}`,
    conversation: `engine_tasks AS t INDEXED BY engine_tasks_${live ? 'live' : 'conversation'}`,
    conversations: `json_each(?) AS wanted CROSS JOIN engine_tasks AS t INDEXED BY engine_tasks_${live ? 'live' : 'conversation'}`,
  }[extent];
  const of = { session: '', conversation: `AND t.conversation = ${integer}`, conversations: 'AND t.conversation = wanted.value' }[
    extent
  ];
  const flag = (name: string, wanted: boolean | undefined): string =>
    wanted === undefined ? '' : `AND t.${name} IS ${wanted ? '1' : 'NULL'}`;
  return `SELECT ${columns} FROM ${from} WHERE t.session = ${integer} ${of} ${live ? 'AND t.live IS NOT NULL' : ''} AND t.key BETWEEN ? AND ?
    ${role ? `AND t.role = ${text}` : ''} ${kind ? `AND t.kind = ${text}` : ''} ${flag('abort', abort)} ${flag('background', background)}
    ORDER BY t.key ${order} LIMIT ${integer}`;
}
