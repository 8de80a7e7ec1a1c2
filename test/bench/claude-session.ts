/** Made-up Claude Code sessions in the shape that version 2.1.332 writes: a row a content block, results beside their calls, noise rows. */
import { clockOf } from './made-session.ts';
import type { MadeRow, MadeSession, SessionPlan, Typed } from './made-session.ts';
import { projectOf } from './project.ts';
import type { Project } from './project.ts';
import { turns } from './turns.ts';
import type { Step } from './turns.ts';
import { Words } from './words.ts';

export function claudeSession(plan: SessionPlan): MadeSession {
  const id = new Words(plan.seed).uuid();
  const project = projectOf(plan.project);
  const path = `.claude/projects/${project.cwd.replace(/[^A-Za-z0-9]/g, '-')}/${id}.jsonl`;
  return { id, path, cwd: project.cwd, rows: () => claudeRows(new Words(plan.seed + 1), id, project, plan) };
}

const systemPrompt = new Words(1).prose(9000);

/** What ends every row. */
const suffix = (cwd: string, sessionId: string): object => ({
  userType: 'external',
  entrypoint: 'cli',
  cwd,
  sessionId,
  version: '2.1.332',
  gitBranch: 'main',
});

function* claudeRows(words: Words, sessionId: string, project: Project, plan: SessionPlan): Generator<MadeRow> {
  const { cwd } = project;
  const clock = clockOf(plan.startedAt, words.random, plan.pace);
  const time = (): string => new Date(clock()).toISOString();
  let parent: string | null = null;
  const row = (messages: number, fields: object): MadeRow => {
    const uuid = words.uuid();
    const line = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: time(),
      ...suffix(cwd, sessionId),
    });
    parent = uuid;
    return { line, messages };
  };
  const noise = (fields: object): MadeRow => ({ line: JSON.stringify({ ...fields, sessionId }), messages: 0 });

  yield row(0, {
    attachment: { type: 'prompt_snapshot', systemPrompt: [systemPrompt] },
    type: 'attachment',
    rendered: [{ content: systemPrompt.slice(0, 400) }],
    renderedRole: 'system',
  });
  for (const turn of turns(words, project, plan.rare)) {
    yield noise({ type: 'queue-operation', operation: 'enqueue', timestamp: time(), content: turn.prompt });
    yield row(1, {
      promptId: words.uuid(),
      type: 'user',
      message: { role: 'user', content: turn.prompt },
      permissionMode: 'default',
      promptSource: 'typed',
      turnOrigin: 'human',
    });
    /** The rows of one message of the model: a block each, all with the whole message's usage. */
    const message = (blocks: readonly object[], stop: string): MadeRow[] => {
      const { input, cached, output } = turn.tokens();
      const shared = {
        id: `msg_01${words.base64(22).replace(/[^A-Za-z0-9]/g, 'x')}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
      };
      const usage = {
        input_tokens: 3,
        cache_creation_input_tokens: input,
        cache_read_input_tokens: cached,
        output_tokens: output,
        service_tier: 'standard',
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: input },
      };
      const requestId = `req_01${words.hex(20)}`;
      return blocks.map((block) =>
        row(1, {
          message: { ...shared, content: [block], stop_reason: stop, stop_sequence: null, usage },
          requestId,
          type: 'assistant',
        }),
      );
    };
    for (const step of turn.steps) {
      const call = `toolu_01${words.hex(22)}`;
      yield* message(
        [
          ...(step.thinking === null ? [] : [{ type: 'thinking', thinking: step.thinking, signature: words.base64(240) }]),
          ...(step.said === null ? [] : [{ type: 'text', text: step.said }]),
          { type: 'tool_use', id: call, ...toolUse(step, cwd) },
        ],
        'tool_use',
      );
      yield row(1, {
        type: 'user',
        message: {
          role: 'user',
          content: [{ tool_use_id: call, type: 'tool_result', content: step.output, ...(step.failed ? { is_error: true } : {}) }],
        },
        toolUseResult: toolUseResult(step, cwd),
      });
    }
    yield* message([{ type: 'text', text: turn.answer }], 'end_turn');
    yield row(0, {
      type: 'system',
      subtype: 'turn_duration',
      durationMs: words.integer(90_000),
      messageCount: turn.steps.length,
    });
    yield noise({ type: 'last-prompt', lastPrompt: turn.prompt, leafUuid: parent });
  }
}

function toolUse({ action }: Step, cwd: string): object {
  switch (action.kind) {
    case 'read':
      return {
        name: 'Read',
        input: { file_path: `${cwd}/${action.file.path}`, offset: action.from + 1, limit: action.lines.length },
      };
    case 'search':
      return { name: 'Grep', input: { pattern: action.pattern, path: cwd, output_mode: 'content', '-n': true } };
    case 'run':
      return { name: 'Bash', input: { command: action.command, description: action.description } };
    case 'edit':
      return {
        name: 'Edit',
        input: {
          file_path: `${cwd}/${action.file.path}`,
          old_string: action.old.join('\n'),
          new_string: action.fresh.join('\n'),
          replace_all: false,
        },
      };
  }
}

function toolUseResult({ action, output, failed }: Step, cwd: string): unknown {
  if (failed) return `Error: Exit code 1\n${output}`;
  switch (action.kind) {
    case 'read': {
      const { file, from, lines } = action;
      const content = lines.join('\n');
      const filePath = `${cwd}/${file.path}`;
      return {
        type: 'text',
        file: { filePath, content, numLines: lines.length, startLine: from + 1, totalLines: file.lines.length },
      };
    }
    case 'search':
      return { mode: 'content', numFiles: 0, filenames: [], content: output, numLines: output.split('\n').length };
    case 'run':
      return { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
    case 'edit': {
      const { file, from, old, fresh } = action;
      const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
      return {
        filePath: `${cwd}/${file.path}`,
        oldString: old.join('\n'),
        newString: fresh.join('\n'),
        originalFile: null,
        structuredPatch: [{ oldStart: from + 1, oldLines: old.length, newStart: from + 1, newLines: fresh.length, lines }],
        userModified: false,
        replaceAll: false,
      };
    }
  }
}

export function claudeTyped({ words, session, tail, text, at }: Typed): string {
  const parent = [...tail.matchAll(/"uuid":"([0-9a-f-]{36})"/g)].at(-1)?.[1] ?? null;
  return claudePrompt(words, session.id, session.cwd, parent, text, at).line;
}

/** One more prompt behind the row `parent`. */
export function claudePrompt(
  words: Words,
  sessionId: string,
  cwd: string,
  parent: string | null,
  text: string,
  at: number,
): { readonly line: string; readonly uuid: string } {
  const uuid = words.uuid();
  const line = JSON.stringify({
    parentUuid: parent,
    isSidechain: false,
    promptId: words.uuid(),
    type: 'user',
    message: { role: 'user', content: text },
    uuid,
    timestamp: new Date(at).toISOString(),
    promptSource: 'typed',
    turnOrigin: 'human',
    ...suffix(cwd, sessionId),
  });
  return { line, uuid };
}
