/**
 * Version 4 of the ledger's tables: keys and aliases known by 64 bits of them, places in order, documents in blocks, reader states
 * compressed as they are written next. The search index is made anew in the background (reindex.ts), since an index that can delete
 * keeps a row for each document. Frozen once released.
 */
import type { Database } from 'better-sqlite3';
import { KeyHash } from './key-hash.ts';

/** Of a key that is a place (`part#000000000012`). */
const isPlace = `key GLOB '*#${'[0-9]'.repeat(12)}'`;

export function compactTables(db: Database): void {
  const hash = new KeyHash();
  db.function('loom_key_hash', { deterministic: true, directOnly: true }, (name) => hash.take(String(name)).value);
  db.exec(`
    ALTER TABLE sources ADD COLUMN packed BLOB;

    CREATE TEMP TABLE sessions AS SELECT session AS name, min(number) AS number FROM threads GROUP BY session;
    CREATE UNIQUE INDEX temp.sessions_name ON sessions (name);

    ALTER TABLE record_keys RENAME TO former_keys;
    CREATE TABLE record_keys (
      hash INTEGER PRIMARY KEY,
      session INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      entry INTEGER NOT NULL
    ) STRICT;
    INSERT OR IGNORE INTO record_keys (hash, session, conversation, entry)
      SELECT loom_key_hash(key), s.number, conversation, entry FROM former_keys CROSS JOIN sessions s ON s.name = session
      WHERE NOT (${isPlace}) ORDER BY 1;

    CREATE TABLE record_parts (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE record_places (
      part INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      session INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      entry INTEGER NOT NULL,
      PRIMARY KEY (part, ordinal)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO record_parts (name) SELECT DISTINCT substr(key, 1, length(key) - 13) FROM former_keys WHERE ${isPlace};
    INSERT INTO record_places (part, ordinal, session, conversation, entry)
      SELECT p.number, CAST(substr(key, -12) AS INTEGER), s.number, conversation, entry FROM former_keys
      CROSS JOIN sessions s ON s.name = session CROSS JOIN record_parts p ON p.name = substr(key, 1, length(key) - 13)
      WHERE ${isPlace} ORDER BY 1, 2;
    DROP TABLE former_keys;

    ALTER TABLE aliases RENAME TO former_aliases;
    CREATE TABLE aliases (
      native INTEGER NOT NULL,
      hash INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      entry INTEGER NOT NULL,
      PRIMARY KEY (native, hash)
    ) STRICT, WITHOUT ROWID;
    INSERT OR REPLACE INTO aliases (native, hash, conversation, entry)
      SELECT native, loom_key_hash(alias), conversation, entry FROM former_aliases ORDER BY 1, 2;
    DROP TABLE former_aliases;
    DROP TABLE temp.sessions;

    ALTER TABLE unindexed RENAME TO former_unindexed;
    CREATE TABLE unindexed (
      number INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL,
      session TEXT NOT NULL,
      conversation INTEGER NOT NULL,
      entry INTEGER NOT NULL,
      harness TEXT NOT NULL
    ) STRICT;
    INSERT INTO unindexed (thread, session, conversation, entry, harness)
      SELECT thread, session, conversation, entry, harness FROM former_unindexed ORDER BY number;
    INSERT INTO unindexed (thread, session, conversation, entry, harness)
      SELECT thread, session, conversation, entry, harness FROM documents ORDER BY number;
    DROP TABLE former_unindexed;
    DROP TABLE documents;
    DROP TABLE search;

    CREATE TABLE documents (
      first INTEGER PRIMARY KEY,
      count INTEGER NOT NULL,
      thread INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      packed BLOB NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE search USING fts5 (
      body, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
    );
    -- A group of an import is one segment, and segments are merged less often than FTS5 does by itself.
    INSERT INTO search (search, rank) VALUES ('hashsize', 8388608);
    INSERT INTO search (search, rank) VALUES ('automerge', 8);
  `);
}
