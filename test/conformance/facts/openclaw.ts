/** What OpenClaw's databases and files say, by a script over their events. */
import { zstdDecompressSync } from 'node:zlib';
import { copiedDatabase } from '../../openclaw-home.ts';
import { Found } from './fact.ts';
import { eventFacts, type Tools } from './pi.ts';
import { filesBelow, linesOf, type Raw } from './raw.ts';

const tools: Tools = {
  command: /^(?:bash|exec|process)$/,
  edit: /^(?:edit|write|apply_patch)$/,
  read: /^(?:read|memory_get|sessions_history)$/,
  search: /^(?:grep|find|ls|memory_search|sessions_list|sessions_search)$/,
  agent: /^(?:sessions_spawn|sessions_send|subagents)$/,
  plan: /^update_plan$/,
};

export function openclawFacts(home: string): Found {
  const found = new Found();
  for (const file of filesBelow(home, /\.openclaw\/agents\/.*\/sessions\/[^/]+\.jsonl(?:\.reset\.[^/]*)?$/))
    eventFacts(found, linesOf(file), tools);
  for (const file of filesBelow(home, /\.openclaw\/agents\/.*\/openclaw-agent\.sqlite$/)) {
    using database = copiedDatabase(file);
    const rows = database.db
      .prepare('SELECT session_id, event_json, event_zstd FROM transcript_events ORDER BY session_id, seq')
      .all();
    const bySession = Map.groupBy(rows as Raw[], ({ session_id }) => session_id);
    for (const events of bySession.values())
      eventFacts(
        found,
        events.map((row: Raw) => JSON.parse(row.event_json ?? zstdDecompressSync(row.event_zstd).toString('utf8'))),
        tools,
      );
  }
  return found;
}
