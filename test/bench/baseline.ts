/**
 * The plain way, as a measure for this machine at this moment: read each file, split it, parse each line, keep the text rows
 * in a plain SQLite table. No threads, no forks, no search, no restart. Run as a program: `baseline.ts HOME DATABASE`.
 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

const [home, file] = process.argv.slice(2);
if (home === undefined || file === undefined) throw new Error('usage: baseline.ts HOME DATABASE');

const started = performance.now();
const before = process.cpuUsage();
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, file TEXT, type TEXT, text TEXT)');
const insert = db.prepare('INSERT INTO row (file, type, text) VALUES (?, ?, ?)');
let bytes = 0;
let rows = 0;
for (const entry of fs.readdirSync(home, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
  const text = fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8');
  bytes += Buffer.byteLength(text);
  db.transaction(() => {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const record = JSON.parse(line) as Record<string, unknown>;
      const said = textsOf(record['message'] ?? record['payload']).join('\n');
      if (said === '') continue;
      insert.run(entry.name, String(record['type']), said);
      rows++;
    }
  })();
}
db.close();
const used = process.cpuUsage(before);
process.stdout.write(
  `${JSON.stringify({ ms: performance.now() - started, cpuMs: (used.user + used.system) / 1000, bytes, rows, rssKb: process.resourceUsage().maxRSS })}\n`,
);

/** Every string under the keys that hold what was said or done. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  return ['content', 'text', 'output', 'message', 'arguments', 'input'].flatMap((key) => textsOf(fields[key]));
}
