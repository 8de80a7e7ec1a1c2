/** A connection that tells of each statement that was run, with how many rows it gave: to count them, or to come between two of them. */
import type { Database, Statement } from 'better-sqlite3';

export function heard(db: Database, onRun: (rows: number, sql: string) => void): Database {
  const listen = (statement: Statement): Statement =>
    new Proxy(statement, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const result: unknown = member.apply(target, args);
          if (property === 'get') onRun(result === undefined ? 0 : 1, target.source);
          if (property === 'run') onRun(0, target.source);
          if (property === 'all') onRun((result as readonly unknown[]).length, target.source);
          return result === target ? listen(target) : result;
        };
      },
    });
  return new Proxy(db, {
    get: (target, property) => {
      if (property === 'prepare') return (sql: string) => listen(target.prepare(sql));
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
