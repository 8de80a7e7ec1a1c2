/** Made-up pi sessions in the shape of version 3: a tree of entries, a message of the model with all its blocks in one. */
import { clockOf } from './made-session.ts';
import type { MadeRow, MadeSession, SessionPlan, Typed } from './made-session.ts';
import { projectOf } from './project.ts';
import type { Project } from './project.ts';
import { turns } from './turns.ts';
import type { Step, Turn } from './turns.ts';
import { Words } from './words.ts';

export function piSession(plan: SessionPlan): MadeSession {
  const id = new Words(plan.seed).uuid7();
  const project = projectOf(plan.project);
  const stamp = new Date(plan.startedAt).toISOString().replace(/[:.]/g, '-');
  const path = `.pi/agent/sessions/-${project.cwd.replaceAll('/', '-')}--/${stamp}_${id}.jsonl`;
  return { id, path, cwd: project.cwd, rows: () => piRows(new Words(plan.seed + 1), id, project, plan) };
}

function* piRows(words: Words, id: string, project: Project, plan: SessionPlan): Generator<MadeRow> {
  const clock = clockOf(plan.startedAt, words.random, plan.pace);
  let parentId: string | null = null;
  const row = (messages: number, type: string, fields: object | ((at: number) => object)): MadeRow => {
    const at = clock();
    const own: string = words.hex(8);
    const said = typeof fields === 'function' ? fields(at) : fields;
    const line = JSON.stringify({ type, id: own, parentId, timestamp: new Date(at).toISOString(), ...said });
    parentId = own;
    return { line, messages };
  };
  const message = (messages: number, fields: object): MadeRow =>
    row(messages, 'message', (timestamp) => ({ message: { ...fields, timestamp } }));
  const timestamp = new Date(plan.startedAt).toISOString();
  yield { line: JSON.stringify({ type: 'session', version: 3, id, timestamp, cwd: project.cwd }), messages: 0 };
  yield row(0, 'model_change', { provider: 'anthropic', modelId: 'claude-opus-5-5' });
  yield row(0, 'thinking_level_change', { thinkingLevel: 'medium' });
  for (const turn of turns(words, project, plan.rare)) {
    yield message(1, { role: 'user', content: [{ type: 'text', text: turn.prompt }] });
    for (const step of turn.steps) {
      const call = `toolu_01${words.hex(22)}`;
      const content = [
        ...(step.thinking === null ? [] : [{ type: 'thinking', thinking: step.thinking, thinkingSignature: words.base64(240) }]),
        ...(step.said === null ? [] : [{ type: 'text', text: step.said }]),
        { type: 'toolCall', id: call, ...toolCall(step) },
      ];
      yield message(content.length, { role: 'assistant', content, ...answered(words, turn, 'toolUse') });
      yield message(1, {
        role: 'toolResult',
        toolCallId: call,
        toolName: toolCall(step).name,
        content: [{ type: 'text', text: step.action.kind === 'read' ? step.action.lines.join('\n') : step.output }],
        isError: step.failed,
        durationMs: words.integer(900),
      });
    }
    yield message(1, { role: 'assistant', content: [{ type: 'text', text: turn.answer }], ...answered(words, turn, 'stop') });
  }
}

function answered(words: Words, turn: Turn, stopReason: string): object {
  const { input, cached, output } = turn.tokens();
  return {
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-opus-5-5',
    usage: {
      input: 3,
      output,
      cacheRead: cached,
      cacheWrite: input,
      totalTokens: 3 + output + cached + input,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    responseId: `msg_01${words.hex(22)}`,
  };
}

function toolCall({ action }: Step): { readonly name: string; readonly arguments: object } {
  switch (action.kind) {
    case 'read':
      return { name: 'read', arguments: { path: action.file.path, offset: action.from + 1, limit: action.lines.length } };
    case 'search':
      return { name: 'bash', arguments: { command: `grep -rn ${action.pattern} src test` } };
    case 'run':
      return { name: 'bash', arguments: { command: action.command } };
    case 'edit': {
      const edits = [{ oldText: action.old.join('\n'), newText: action.fresh.join('\n') }];
      return { name: 'edit', arguments: { path: action.file.path, edits } };
    }
  }
}

export function piTyped({ words, tail, text, at }: Typed): string {
  const parentId = [...tail.matchAll(/^\{"type":"[a-z_]+","id":"([0-9a-f]{8})"/gm)].at(-1)?.[1] ?? null;
  return JSON.stringify({
    type: 'message',
    id: words.hex(8),
    parentId,
    timestamp: new Date(at).toISOString(),
    message: { role: 'user', content: [{ type: 'text', text }], timestamp: at },
  });
}
