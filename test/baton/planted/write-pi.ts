/** Planted sessions in the tree of events that pi 1.6 and OpenClaw 2026.9.6 share: a file of pi's, a database of OpenClaw's. */
import fs from 'node:fs';
import path from 'node:path';
import { OpenclawHome } from '../../openclaw-home.ts';
import type { Beat } from './beat.ts';
import { began, cwd, diffLines, timeOf } from './beat.ts';

type Row = Readonly<Record<string, unknown>>;
type Form = 'pi' | 'openclaw';

function eventsOf(beats: readonly Beat[], form: Form): readonly Row[] {
  const rows: Row[] = [];
  const idOf = (index: number): string => `${form === 'pi' ? 'a' : 'c'}${String(index).padStart(7, '0')}`;
  const push = (row: Row): void => {
    const at = rows.length;
    rows.push({ id: idOf(at), parentId: at === 0 ? null : idOf(at - 1), timestamp: timeOf(at), ...row });
  };
  const message = (fields: Row): void =>
    push({ type: 'message', message: { ...fields, timestamp: began + rows.length * 20_000 } });
  const answer = (content: readonly Row[], stopReason: string): void => {
    const usage = { input: 10, output: 4, cacheRead: 3, cacheWrite: 2, totalTokens: 19, cost: { total: 0 } };
    message({ role: 'assistant', content, provider: 'anthropic', model: 'claude-opus-5-5', usage, stopReason });
  };
  let calls = 0;
  const act = (name: string, args: Row, text: string, rest: Row = {}): void => {
    const id = `toolu_${++calls}`;
    answer([{ type: 'toolCall', id, name, arguments: args }], 'toolUse');
    message({ role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text }], isError: false, ...rest });
  };
  const shell = form === 'pi' ? 'bash' : 'exec';
  for (const beat of beats) {
    switch (beat.do) {
      case 'prompt':
        message({
          role: 'user',
          content: [{ type: 'text', text: beat.text }],
          ...(form === 'pi' ? {} : { __openclaw: { senderIsOwner: true } }),
        });
        break;
      case 'say':
        answer([{ type: 'text', text: beat.text }], 'stop');
        break;
      case 'run': {
        const failed = beat.exit !== 0;
        const word = form === 'pi' ? `\n\nCommand exited with code ${beat.exit}` : `\n\n(Command exited with code ${beat.exit})`;
        const details = { status: failed ? 'failed' : 'completed', exitCode: beat.exit, durationMs: 900, cwd };
        act(
          shell,
          { command: beat.command },
          failed ? `${beat.output}${word}` : beat.output,
          form === 'pi' ? { isError: failed } : { details },
        );
        break;
      }
      case 'background':
        act(shell, { command: beat.command, background: true }, beat.output, {
          details:
            form === 'pi'
              ? { async: { state: 'running', jobId: 'bash-1', type: 'bash' } }
              : { status: 'running', sessionId: 'wild-otter', cwd },
        });
        break;
      case 'edit': {
        const diff = diffLines(beat.old, beat.fresh).map((line) => `${line[0] ?? ' '}1 ${line.slice(1)}`);
        const edits = [{ oldText: beat.old.join('\n'), newText: beat.fresh.join('\n') }];
        act('edit', { path: beat.path, edits }, `Successfully replaced text in ${beat.path}.`, {
          details: { diff: diff.join('\n') },
        });
        break;
      }
      case 'create':
        act('write', { path: beat.path, content: `${beat.lines.join('\n')}\n` }, `Successfully wrote to ${beat.path}`);
        break;
      case 'read':
        act('read', { path: beat.path }, beat.output);
        break;
      case 'fetch':
        act('web_fetch', { url: beat.url }, beat.output);
        break;
      case 'todo':
        if (form === 'pi') {
          // pi itself has no tool for it: agents write the list into their answers.
          const mark = { completed: 'x', in_progress: '~', pending: ' ' } as const;
          answer([{ type: 'text', text: beat.items.map(([text, status]) => `- [${mark[status]}] ${text}`).join('\n') }], 'stop');
        } else {
          const plan = beat.items.map(([step, status]) => ({ step, status }));
          act('update_plan', { plan }, 'ok', { details: { status: 'updated', plan } });
        }
        break;
      case 'compact':
        push({ type: 'compaction', summary: beat.summary, firstKeptEntryId: idOf(rows.length - 1), tokensBefore: 150_000 });
        break;
      case 'subagent':
        act(form === 'pi' ? 'task' : 'sessions_spawn', { task: beat.task }, beat.report);
        break;
    }
  }
  return rows;
}

export function writePi(home: string, id: string, beats: readonly Beat[]): void {
  const timestamp = timeOf(0);
  const folder = path.join(home, '.pi/agent/sessions/--home-user-shop--');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`),
    [{ type: 'session', version: 3, id, timestamp, cwd }, ...eventsOf(beats, 'pi')]
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
}

export function writeOpenclaw(home: string, id: string, beats: readonly Beat[]): void {
  using made = new OpenclawHome();
  made.session(id);
  for (const [index, row] of eventsOf(beats, 'openclaw').entries()) made.event(id, index + 1, row, index % 7 === 0);
  made.db.pragma('wal_checkpoint(TRUNCATE)');
  const place = path.join(home, '.openclaw/agents/main/agent');
  fs.mkdirSync(place, { recursive: true });
  fs.copyFileSync(made.file, path.join(place, 'openclaw-agent.sqlite'));
}
