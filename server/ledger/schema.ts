/**
 * The ledger's own tables, beside the engine's in one SQLite file. The engine's tables are the truth; everything here is either
 * the ingest's place in the sources (`sources`, `natives`, `branches`, `record_places` and the tables of keys and aliases) or derived for reading
 * (`threads`, `search`). All of it changes only inside an engine commit's transaction, so that a crash leaves neither a
 * repeat nor a hole. Migrations are numbered, forward only, frozen once released.
 */
import type { Database } from 'better-sqlite3';
import { blockKeys } from './blocked-keys.ts';
import { compactTables } from './compact-tables.ts';

export const ledgerVersion = 6;

/** Snapshots of worktrees (server/world): the trees themselves are in git stores of Loom's own; here is what they are of. */
const worktreeTables = `
  CREATE TABLE worktrees (
    number INTEGER PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    common TEXT NOT NULL
  ) STRICT;
  CREATE TABLE snapshots (
    number INTEGER PRIMARY KEY,
    worktree INTEGER NOT NULL REFERENCES worktrees (number),
    at INTEGER NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('turnStart', 'turnEnd', 'safety', 'handoff', 'baseline', 'asked')),
    thread INTEGER,
    conversation INTEGER,
    entry INTEGER,
    tree TEXT NOT NULL,
    head TEXT,
    branch TEXT,
    left_out TEXT NOT NULL DEFAULT '[]',
    left_out_total INTEGER NOT NULL DEFAULT 0,
    pruned INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX snapshots_thread ON snapshots (thread, number) WHERE thread IS NOT NULL;
  CREATE INDEX snapshots_worktree ON snapshots (worktree, number);
  CREATE TABLE thread_changes (
    thread INTEGER PRIMARY KEY,
    files INTEGER NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL
  ) STRICT;
  `;

const migrations: readonly (string | ((db: Database) => void))[] = [
  `
  CREATE TABLE threads (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    child INTEGER NOT NULL DEFAULT 0,
    current_native INTEGER,
    current_conversation INTEGER NOT NULL DEFAULT 0,
    current_entry INTEGER,
    title TEXT NOT NULL DEFAULT '',
    harness TEXT NOT NULL,
    surface TEXT NOT NULL DEFAULT 'unknown',
    cwd TEXT NOT NULL DEFAULT '',
    repo TEXT,
    branch TEXT,
    model TEXT,
    created_at INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    entries INTEGER NOT NULL DEFAULT 0,
    automation INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    source_gone INTEGER NOT NULL DEFAULT 0,
    imported_from TEXT,
    parent_thread TEXT,
    parent_entry INTEGER,
    usage_input INTEGER NOT NULL DEFAULT 0,
    usage_output INTEGER NOT NULL DEFAULT 0,
    usage_cache_read INTEGER NOT NULL DEFAULT 0,
    usage_cache_write INTEGER NOT NULL DEFAULT 0,
    last_turn TEXT,
    lease_epoch INTEGER NOT NULL DEFAULT 0,
    lease_harness TEXT
  ) STRICT;
  CREATE INDEX threads_updated ON threads (updated_at DESC);
  CREATE INDEX threads_session ON threads (session);

  CREATE TABLE natives (
    number INTEGER PRIMARY KEY,
    harness TEXT NOT NULL,
    native_id TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (number),
    session TEXT NOT NULL,
    child_of INTEGER,
    child_call TEXT,
    child_title TEXT,
    head_key TEXT,
    head_exact INTEGER NOT NULL DEFAULT 0,
    facts TEXT NOT NULL DEFAULT '{}',
    written_by_loom INTEGER NOT NULL DEFAULT 0,
    path TEXT NOT NULL DEFAULT '',
    UNIQUE (harness, native_id)
  ) STRICT;
  CREATE INDEX natives_thread ON natives (thread);
  CREATE INDEX natives_parent ON natives (child_of) WHERE child_of IS NOT NULL;

  CREATE TABLE branches (
    session TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    native INTEGER NOT NULL REFERENCES natives (number),
    parent_conversation INTEGER,
    parent_entry INTEGER,
    last_content INTEGER NOT NULL DEFAULT 0,
    last_entry INTEGER NOT NULL DEFAULT 0,
    entries INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session, conversation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX branches_native ON branches (native);

  CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    harness TEXT NOT NULL,
    native INTEGER REFERENCES natives (number),
    part TEXT NOT NULL DEFAULT '',
    identity TEXT NOT NULL DEFAULT '',
    fingerprint TEXT NOT NULL DEFAULT '',
    birth REAL NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    mtime REAL NOT NULL DEFAULT 0,
    offset INTEGER NOT NULL DEFAULT 0,
    position_conversation INTEGER NOT NULL DEFAULT 0,
    position_entry INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'null',
    status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'reading', 'current', 'ignored', 'gone', 'unreadable')),
    fault TEXT
  ) STRICT;
  CREATE INDEX sources_native ON sources (native);

  CREATE TABLE record_keys (
    key TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    entry INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE aliases (
    native INTEGER NOT NULL,
    alias TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (native, alias)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE warnings (
    source INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    code TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (source, offset, code)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    session TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    kind TEXT NOT NULL,
    harness TEXT NOT NULL,
    at INTEGER
  ) STRICT;
  CREATE INDEX documents_thread ON documents (thread);
  CREATE VIRTUAL TABLE search USING fts5 (body, content = '', tokenize = "unicode61 remove_diacritics 2");

  CREATE TABLE handoffs (
    harness TEXT NOT NULL,
    native_id TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'undone', 'abandoned')),
    PRIMARY KEY (harness, native_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    thread TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  `,
  // The search index anew: numbers in the order of time, words that say of what an entry is, rows that can be taken out.
  // What was in the former one waits in `unindexed` until it is indexed (reindex.ts).
  `
  DROP INDEX documents_thread;
  ALTER TABLE documents RENAME TO unindexed;
  DELETE FROM unindexed WHERE thread = 0;
  DROP TABLE search;

  CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    session TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    kind TEXT NOT NULL,
    harness TEXT NOT NULL,
    at INTEGER,
    length INTEGER NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE search USING fts5 (
    body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
  );
  `,
  // The native bytes themselves (archive.ts). What was read before they were kept waits to be archived (archive-absent.ts).
  `
  ALTER TABLE sources ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE archive_chunks (
    number INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX archive_chunks_place ON archive_chunks (source, generation, start);
  CREATE TABLE archive_loose (
    source INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (source, generation)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE archive_blocks (
    number INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    length INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX archive_blocks_content ON archive_blocks (source, sha256);
  CREATE TABLE archive_versions (
    number INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    version INTEGER NOT NULL,
    suffix TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    sha256 BLOB NOT NULL,
    blocks BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX archive_versions_place ON archive_versions (source, version, suffix);
  CREATE TABLE archive_held (
    source INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    container INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (source, generation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX archive_held_container ON archive_held (container, version);

  CREATE TABLE archive_absent (
    source INTEGER PRIMARY KEY,
    reason TEXT NOT NULL CHECK (reason IN ('waiting', 'gone', 'sealed', 'large', 'unreadable'))
  ) STRICT;
  CREATE INDEX archive_absent_waiting ON archive_absent (source) WHERE reason = 'waiting';
  INSERT INTO archive_absent (source, reason)
    SELECT number, 'waiting' FROM sources WHERE status IN ('current', 'reading', 'gone');
  `,
  compactTables,
  // What a hand-over needs to know: batons that grow with their conversation, who held a thread and since when, sessions that went on
  // after they had lost it, what a person agreed to, sessions that a harness begins itself and that are to go on with a thread, and what
  // stopped at a limit. Before, whoever wrote last drove a thread, and has its lease now. `offset`: where Loom's bytes begin in a file that was there before.
  `
  CREATE TABLE baton_states (
    session TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    version INTEGER NOT NULL,
    through INTEGER NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (session, conversation)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    thread INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    harness TEXT NOT NULL,
    native INTEGER,
    acquired_at INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    lost_at INTEGER,
    turns INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (thread, epoch)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO leases (thread, epoch, harness, native, acquired_at, renewed_at)
    SELECT number, lease_epoch, harness, current_native, updated_at, updated_at FROM threads WHERE lease_harness IS NOT NULL;
  UPDATE threads SET lease_harness = harness WHERE lease_harness IS NOT NULL;

  CREATE TABLE conflicts (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    native INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    first_entry INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    choice TEXT CHECK (choice IN ('keep', 'follow'))
  ) STRICT;
  CREATE INDEX conflicts_open ON conflicts (thread) WHERE ended_at IS NULL;

  CREATE TABLE consents (
    folder TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (folder, source, target)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE expected (
    token TEXT NOT NULL PRIMARY KEY,
    harness TEXT NOT NULL,
    native INTEGER NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    at INTEGER NOT NULL,
    met_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX expected_open ON expected (harness) WHERE met_at IS NULL;

  CREATE TABLE stops (
    thread INTEGER PRIMARY KEY,
    reason TEXT NOT NULL CHECK (reason IN ('limit', 'failed')),
    text TEXT NOT NULL,
    resets_at INTEGER
  ) STRICT;

  ALTER TABLE handoffs ADD COLUMN offset INTEGER NOT NULL DEFAULT 0;
  `,
  // Snapshots of worktrees, and keys in blocks.
  (db) => {
    db.exec(worktreeTables);
    blockKeys(db);
  },
];

/**
 * Brings the tables up to `ledgerVersion`; the version stands in the file's `user_version`. `through`: for tests of what an
 * older Loom left.
 */
export function migrateLedger(db: Database, through = ledgerVersion): void {
  const from = db.pragma('user_version', { simple: true });
  const start = typeof from === 'number' ? from : 0;
  for (let version = start; version < through; version++) {
    const migration = migrations[version];
    if (migration === undefined) continue;
    db.transaction(() => {
      if (typeof migration === 'string') db.exec(migration);
      else migration(db);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}
