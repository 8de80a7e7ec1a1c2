/**
 * The plain way, as a measure for this machine at this moment: read each file, split it, parse each line, keep the rows of text in a
 * plain SQLite table and, with `fts`, in a full-text index over it (external content), a transaction a file. No threads, no forks, no
 * cursor to go on from. Run as a program: `baseline.ts HOME DATABASE fts|rows`.
 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

const [home, file, index] = process.argv.slice(2);
if (home === undefined || file === undefined || (index !== 'fts' && index !== 'rows'))
  throw new Error('usage: baseline.ts HOME DATABASE fts|rows');

const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, file TEXT, type TEXT, text TEXT)');
if (index === 'fts')
  db.exec(
    `CREATE VIRTUAL TABLE search USING fts5(text, content='row', content_rowid='id', tokenize='unicode61 remove_diacritics 2')`,
  );
const insert = db.prepare('INSERT INTO row (file, type, text) VALUES (?, ?, ?)');
const insertWords = index === 'fts' ? db.prepare('INSERT INTO search (rowid, text) VALUES (?, ?)') : undefined;
/** Keys of texts, and of what a tool was called with. */
const texts = [
  'content',
  'text',
  'thinking',
  'description',
  'summary',
  'thoughts',
  'output',
  'message',
  'toolCalls',
  'result',
  'functionResponse',
  'response',
];
const calls = ['arguments', 'input', 'args'];
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
      const said = textOf(record);
      if (said === '') continue;
      const { lastInsertRowid } = insert.run(entry.name, String(record['type']), said);
      insertWords?.run(lastInsertRowid, said);
      rows++;
    }
  })();
}
db.close();
process.stdout.write(`${JSON.stringify({ bytes, rows, databaseBytes: fs.statSync(file).size })}\n`);

/** What was said or done: of a message (Claude Code, pi), an item (Codex) or the record itself (Gemini CLI). Not what repeats it. */
function textOf(record: Record<string, unknown>): string {
  switch (record['type']) {
    case 'event_msg':
      return '';
    case 'gemini':
      return textsOf(record).join('\n');
    case 'user':
      return textsOf(record['message'] ?? promptOf(record['content'])).join('\n');
    default:
      return textsOf(record['message'] ?? record['payload']).join('\n');
  }
}

/** Gemini CLI repeats results as prompts without a text. */
function promptOf(content: unknown): unknown {
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  return texts.flatMap((key) => textsOf(fields[key])).concat(calls.flatMap((key) => everyText(fields[key])));
}

/** Every string of a call's arguments. */
function everyText(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(everyText) : [];
}
