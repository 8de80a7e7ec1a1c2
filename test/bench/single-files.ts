/** Files that nobody expects: one session of 1 GB, one session with a line of 10 MB. Read by the program alone, each in a home of its own. */
import fs from 'node:fs';
import path from 'node:path';
import type { IngestReport } from '../../server/protocol/requests.ts';
import { claudeSession } from './claude-session.ts';
import { writeSession } from './corpus.ts';
import type { MadeSession } from './made-session.ts';
import { loomProgram, run } from './program.ts';
import { inFolder } from './temp-folder.ts';
import { rareWord } from './turns.ts';

export interface SingleFile {
  readonly mb: number;
  readonly mbPerSecond: number;
  readonly peakMb: number | null;
  readonly entries: number;
}

export async function coldImportOf(home: string, ledger: string): Promise<SingleFile> {
  const { out, peakMb } = await run([loomProgram, 'ingest', '--json', '--home', home, '--ledger', ledger], home);
  const report = JSON.parse(out) as IngestReport;
  return { mb: report.bytes / 1e6, mbPerSecond: report.bytes / 1e6 / (report.ms / 1000), peakMb, entries: report.entries };
}

function sessionOf(seed: number, startedAt: number): MadeSession {
  return claudeSession({ seed, project: 5, startedAt, pace: 2000, rare: rareWord(seed) });
}

/** One session file of `bytes`. */
export function hugeFile(bytes: number): Promise<SingleFile> {
  return inFolder((home) => {
    const session = sessionOf(77_001, Date.now() - 80 * 86_400_000);
    writeSession(path.join(home, session.path), session, { bytes }, Date.now() - 60_000);
    return coldImportOf(home, path.join(home, 'ledger'));
  });
}

/** A session of 40 rows; the first result of a tool is a line of `bytes` that nobody cut. */
export function longLine(bytes: number): Promise<SingleFile> {
  return inFolder((home) => {
    const session = sessionOf(99_001, Date.now() - 600_000);
    const text = '0123456789abcdef '.repeat(Math.ceil(bytes / 17));
    const lines: string[] = [];
    let long = false;
    for (const { line } of session.rows()) {
      const isFirst: boolean = !long && line.includes('"tool_result"');
      long ||= isFirst;
      lines.push(isFirst ? line.replace('"content":"', `"content":"${text}`) : line);
      if (lines.length >= 40) break;
    }
    if (!long) throw new Error('The session has no result of a tool.');
    const file = path.join(home, session.path);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${lines.join('\n')}\n`);
    return coldImportOf(home, path.join(home, 'ledger'));
  });
}
