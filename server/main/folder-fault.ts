/** What the system or SQLite refuses in the ledger's folder, as the fault that tells the person; a bug stays what it is. */
import Database from 'better-sqlite3';
import { errorCode } from '../../shuttles/kit/error-code.ts';
import { Fault } from '../protocol/faults.ts';

export function folderFault(error: unknown, where: string): unknown {
  const code = error instanceof Database.SqliteError ? error.code : errorCode(error);
  if (code === undefined) return error;
  return new Fault(code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT' ? 'L004' : 'L005', `${where}: ${code}`);
}
