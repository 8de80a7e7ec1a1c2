/** Several reads of one state of the file, whatever other processes commit meanwhile; within a transaction that is so already. */
import type { Database } from 'better-sqlite3';

export function snapshots(db: Database): <T>(read: () => T) => T {
  const begin = db.prepare('BEGIN DEFERRED');
  const end = db.prepare('COMMIT');
  return (read) => {
    if (db.inTransaction) return read();
    begin.run();
    try {
      return read();
    } finally {
      if (db.inTransaction) end.run();
    }
  };
}
