/** Made-up Gemini CLI sessions in the shape that version 0.61 writes: operations on a list of messages, and a message with calls is written twice. */
import { clockOf } from './made-session.ts';
import type { MadeRow, MadeSession, SessionPlan, Typed } from './made-session.ts';
import { projectOf } from './project.ts';
import type { Project } from './project.ts';
import { turns } from './turns.ts';
import type { Step } from './turns.ts';
import { Words } from './words.ts';

export function geminiSession(plan: SessionPlan): MadeSession {
  const id = new Words(plan.seed).uuid();
  const project = projectOf(plan.project);
  const stamp = new Date(plan.startedAt).toISOString().slice(0, 16).replaceAll(':', '-');
  const path = `.gemini/tmp/${geminiProject(project.cwd)}/chats/session-${stamp}-${id.slice(0, 8)}.jsonl`;
  return { id, path, cwd: project.cwd, rows: () => geminiRows(new Words(plan.seed + 1), id, project, plan) };
}

/** The name of a project's folder. */
export function geminiProject(cwd: string): string {
  return cwd.slice(cwd.lastIndexOf('/') + 1).toLowerCase();
}

function* geminiRows(words: Words, sessionId: string, project: Project, plan: SessionPlan): Generator<MadeRow> {
  const clock = clockOf(plan.startedAt, words.random, plan.pace);
  const time = (): string => new Date(clock()).toISOString();
  const row = (messages: number, fields: object): MadeRow => ({ line: JSON.stringify(fields), messages });
  const touched = (lastUpdated: string): MadeRow => row(0, { $set: { lastUpdated } });
  const startTime = time();
  yield row(0, { sessionId, projectHash: words.hex(64), startTime, lastUpdated: startTime, kind: 'main' });
  for (const turn of turns(words, project, plan.rare)) {
    yield row(1, { id: words.uuid(), timestamp: time(), type: 'user', content: [{ text: turn.prompt }] });
    for (const step of turn.steps) {
      const timestamp = time();
      const { input, cached, output } = turn.tokens();
      const thoughts = output >> 2;
      const message = {
        id: words.uuid(),
        timestamp,
        type: 'gemini',
        content: step.said ?? '',
        thoughts: step.thinking === null ? [] : [{ subject: '', description: step.thinking, timestamp }],
        tokens: { input: input + cached, output, cached, thoughts, tool: 0, total: input + cached + output + thoughts },
        model: 'gemini-2.5-pro',
      };
      const told = (step.said === null ? 0 : 1) + (step.thinking === null ? 0 : 1);
      if (told > 0) yield row(told, message);
      const { name, args, description } = toolCall(step, project.cwd);
      const id = `${name}__${name}_${clock()}_0`;
      const printed = step.action.kind === 'read' ? step.action.lines.join('\n') : step.output;
      const functionResponse = { id, name, response: step.failed ? { error: printed } : { output: printed } };
      const status = step.failed ? 'error' : 'success';
      const call = { id, name, args, result: [{ functionResponse }], status, timestamp: time(), resultDisplay: '', description };
      yield row(2, { ...message, toolCalls: [call] });
      yield row(0, { id: words.uuid(), timestamp: time(), type: 'user', content: [{ functionResponse }] });
      yield touched(time());
    }
    const { input, cached, output } = turn.tokens();
    yield row(1, {
      id: words.uuid(),
      timestamp: time(),
      type: 'gemini',
      content: turn.answer,
      thoughts: [],
      tokens: { input: input + cached, output, cached, thoughts: 0, tool: 0, total: input + cached + output },
      model: 'gemini-2.5-pro',
    });
    yield touched(time());
  }
}

function toolCall({ action }: Step, cwd: string): { readonly name: string; readonly args: object; readonly description: string } {
  switch (action.kind) {
    case 'read':
      return {
        name: 'read_file',
        args: { file_path: `${cwd}/${action.file.path}`, offset: action.from },
        description: action.file.path,
      };
    case 'search':
      return { name: 'search_file_content', args: { pattern: action.pattern }, description: `'${action.pattern}'` };
    case 'run':
      return {
        name: 'run_shell_command',
        args: { command: action.command, description: action.description },
        description: action.command,
      };
    case 'edit': {
      const { file, old, fresh } = action;
      const args = { file_path: `${cwd}/${file.path}`, old_string: old.join('\n'), new_string: fresh.join('\n') };
      return { name: 'replace', args, description: file.path };
    }
  }
}

export function geminiTyped({ words, text, at }: Typed): string {
  return JSON.stringify({ id: words.uuid(), timestamp: new Date(at).toISOString(), type: 'user', content: [{ text }] });
}
