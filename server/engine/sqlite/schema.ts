/**
 * The engine's tables in a SQLite file that others may have tables in too: every name starts with `engine_` (engine
 * specification 7.5). Keys start with the session's number. Migrations are numbered, forward only, frozen once released;
 * the file's version stands in `engine_migrations`, the storage version of each session in `engine_session_metadata`.
 *
 * `engine_entries` and `engine_tasks` are rowid tables: their rows are wide, and only a rowid table keeps wide rows out
 * of the inner pages. Content stands last, so that a header is read without its overflow pages. An entry is a row of `engine_entries` or
 * stands in a pack, never both; heads are rows. `engine_packing` has how far each session was looked through for entries to pack.
 */
import type { Database } from 'better-sqlite3';
import { Rejected } from '../errors.ts';

const migrations: readonly string[] = [
  `
  CREATE TABLE engine_sessions (
    session INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE engine_session_metadata (
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE engine_conversations (
    session INTEGER NOT NULL,
    id INTEGER NOT NULL,
    parent INTEGER,
    at INTEGER,
    owner INTEGER,
    deleted INTEGER,
    PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX engine_conversations_parent ON engine_conversations (session, parent, id) WHERE parent IS NOT NULL;
  CREATE INDEX engine_conversations_owner ON engine_conversations (session, owner, id) WHERE owner IS NOT NULL;

  CREATE TABLE engine_entries (
    session INTEGER NOT NULL,
    id INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,
    head INTEGER,
    by_task INTEGER,
    content TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX engine_entries_id ON engine_entries (session, id);
  CREATE INDEX engine_entries_transcript ON engine_entries (session, conversation, id);
  CREATE INDEX engine_entries_kind ON engine_entries (session, conversation, kind, id);
  CREATE INDEX engine_entries_key ON engine_entries (session, conversation, key, id) WHERE key IS NOT NULL;
  CREATE INDEX engine_entries_head ON engine_entries (session, conversation, id) WHERE head IS NOT NULL;

  CREATE TABLE engine_tasks (
    session INTEGER NOT NULL,
    id INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('start', 'inflight', 'terminal')),
    background INTEGER,
    abort INTEGER,
    after TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX engine_tasks_id ON engine_tasks (session, id);
  CREATE INDEX engine_tasks_conversation ON engine_tasks (session, conversation, role, id);
  CREATE INDEX engine_tasks_live ON engine_tasks (session, id) WHERE role <> 'terminal';
  CREATE INDEX engine_tasks_live_conversation ON engine_tasks (session, conversation, id) WHERE role <> 'terminal';

  CREATE TABLE engine_values (
    session INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, conversation, namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE engine_value_versions (
    session INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT,
    PRIMARY KEY (session, conversation, namespace, key, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE engine_list_elements (
    session INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    rewind INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, conversation, rewind, namespace, key, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE engine_clear_markers (
    session INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    element INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (session, conversation, namespace, key, element, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE engine_scratch (
    session INTEGER NOT NULL,
    task INTEGER NOT NULL,
    list INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, task, list, namespace, key, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE engine_commit_boundaries (
    session INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (session, first)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE engine_kinds (
    session INTEGER NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (session, kind)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE INDEX engine_tasks_foreground ON engine_tasks (session, conversation, id) WHERE role <> 'terminal' AND background IS NULL;
  `,
  // Each page that a commit touches costs it more than all its reads. So the last sequence number is that of the last boundary, and a
  // status that changes moves its task in no index: `live` changes once in a task's life, and one index serves all who look for live tasks.
  `
  ALTER TABLE engine_sessions DROP COLUMN last_seq;
  ALTER TABLE engine_tasks ADD COLUMN live INTEGER;
  UPDATE engine_tasks SET live = 1 WHERE role <> 'terminal';
  DROP INDEX engine_tasks_foreground;
  DROP INDEX engine_tasks_live;
  DROP INDEX engine_tasks_live_conversation;
  CREATE INDEX engine_tasks_live ON engine_tasks (session, conversation, background, id) WHERE live IS NOT NULL;
  DROP INDEX engine_tasks_conversation;
  CREATE INDEX engine_tasks_conversation ON engine_tasks (session, conversation, id);
  `,
  // A task's row stands under its session's number and its id (task-key.ts): no index leads to it, and one of a conversation's tasks needs no
  // ids. SQLite makes a table of the list of an IN each time that it checks one.
  `
  CREATE TABLE engine_keyed_tasks (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL CHECK (session = key >> 32),
    conversation INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role = 'start' OR role = 'inflight' OR role = 'terminal'),
    background INTEGER,
    abort INTEGER,
    live INTEGER,
    after TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  INSERT INTO engine_keyed_tasks (key, session, conversation, kind, status, role, background, abort, live, after, state)
    SELECT (session << 32) + id, session, conversation, kind, status, role, background, abort, live, after, state
    FROM engine_tasks ORDER BY session, id;
  DROP TABLE engine_tasks;
  ALTER TABLE engine_keyed_tasks RENAME TO engine_tasks;
  CREATE INDEX engine_tasks_conversation ON engine_tasks (session, conversation);
  CREATE INDEX engine_tasks_live ON engine_tasks (session, conversation, background) WHERE live IS NOT NULL;
  `,
  // Entries that are not going to be alone again: a pack of them is one row of contents, and one small row by which reads find it or pass it over.
  `
  CREATE TABLE engine_packs (
    session INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    kinds INTEGER NOT NULL,
    keys BLOB NOT NULL,
    pack INTEGER NOT NULL,
    PRIMARY KEY (session, conversation, first)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX engine_packs_last ON engine_packs (session, last);
  CREATE TABLE engine_pack_contents (
    pack INTEGER PRIMARY KEY,
    codec INTEGER NOT NULL,
    size INTEGER NOT NULL,
    headers BLOB NOT NULL,
    contents BLOB NOT NULL
  ) STRICT;
  CREATE TABLE engine_packing (
    session INTEGER PRIMARY KEY,
    through INTEGER NOT NULL
  ) STRICT;
  `,
];

/**
 * Brings the engine's tables up to date; a read-only connection is only checked. Throws Rejected `storageVersion` when the
 * file is newer than this program, or when it is older and may not be changed.
 */
export function migrateEngine(db: Database, to = migrations.length): void {
  const found = fileVersion(db);
  if (found > migrations.length)
    throw new Rejected('storageVersion', `the engine's tables have version ${found}, this program knows ${migrations.length}`);
  if (found >= to) return;
  if (db.readonly)
    throw new Rejected('storageVersion', `the engine's tables have version ${found}, version ${migrations.length} is needed`);
  const migrate = db.transaction(() => {
    db.exec('CREATE TABLE IF NOT EXISTS engine_migrations (version INTEGER PRIMARY KEY) STRICT');
    for (let version = fileVersion(db); version < to; version++) {
      db.exec(migrations[version] ?? '');
      db.prepare('INSERT INTO engine_migrations (version) VALUES (?)').run(version + 1);
    }
  });
  migrate.immediate();
}

function fileVersion(db: Database): number {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'engine_migrations'").get();
  if (known === undefined) return 0;
  const version = db.prepare('SELECT max(version) FROM engine_migrations').pluck().get();
  return typeof version === 'number' ? version : 0;
}
