/** Made-up Codex sessions in the shape that version 0.125 writes (legacy history): model items and the events that repeat them. */
import { clockOf } from './made-session.ts';
import type { MadeRow, MadeSession, SessionPlan, Typed } from './made-session.ts';
import { projectOf } from './project.ts';
import type { Project } from './project.ts';
import { turns } from './turns.ts';
import type { Step } from './turns.ts';
import { Words } from './words.ts';

export function codexSession(plan: SessionPlan): MadeSession {
  const id = new Words(plan.seed).uuid7();
  const project = projectOf(plan.project);
  const stamp = new Date(plan.startedAt).toISOString();
  const name = `rollout-${stamp.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`;
  const path = `.codex/sessions/${stamp.slice(0, 10).replaceAll('-', '/')}/${name}`;
  return { id, path, cwd: project.cwd, rows: () => codexRows(new Words(plan.seed + 1), id, project, plan) };
}

const instructions = new Words(2).prose(14_000);

function* codexRows(words: Words, id: string, project: Project, plan: SessionPlan): Generator<MadeRow> {
  const { cwd } = project;
  const clock = clockOf(plan.startedAt, words.random, plan.pace);
  let at = plan.startedAt;
  const row = (messages: number, type: string, payload: object): MadeRow => {
    at = clock();
    return { line: JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload }), messages };
  };
  const totals = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0, total_tokens: 0 };
  const count = (of: { readonly input: number; readonly cached: number; readonly output: number }): MadeRow => {
    const last = {
      input_tokens: of.input + of.cached,
      cached_input_tokens: of.cached,
      output_tokens: of.output,
      reasoning_output_tokens: of.output >> 2,
      total_tokens: of.input + of.cached + of.output,
    };
    for (const [key, value] of Object.entries(last)) totals[key as keyof typeof totals] += value;
    return row(0, 'event_msg', {
      type: 'token_count',
      info: { total_token_usage: totals, last_token_usage: last, model_context_window: 258_400 },
      rate_limits: { limit_id: 'codex', limit_name: null, primary: null, secondary: null },
    });
  };
  yield row(0, 'session_meta', {
    id,
    timestamp: new Date(at).toISOString(),
    cwd,
    originator: 'codex_cli_rs',
    cli_version: '0.125.0',
    source: 'cli',
    model_provider: 'openai',
    base_instructions: { text: instructions },
    git: { commit_hash: words.hex(40), branch: 'main' },
  });
  for (const turn of turns(words, project, plan.rare)) {
    const turnId = words.uuid7();
    yield row(0, 'event_msg', {
      type: 'task_started',
      turn_id: turnId,
      started_at: Math.floor(at / 1000),
      model_context_window: 258_400,
    });
    yield row(0, 'turn_context', {
      turn_id: turnId,
      cwd,
      approval_policy: 'never',
      sandbox_policy: { type: 'workspace-write' },
      model: 'gpt-5',
      summary: 'auto',
    });
    yield row(1, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.prompt }] });
    yield row(0, 'event_msg', { type: 'user_message', message: turn.prompt, images: [], local_images: [] });
    for (const step of turn.steps) {
      if (step.thinking !== null) {
        yield row(1, 'event_msg', { type: 'agent_reasoning', text: step.thinking });
        yield row(0, 'response_item', {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: step.thinking }],
          content: null,
          encrypted_content: `gAAAAAB${words.base64(360)}`,
        });
      }
      if (step.said !== null) {
        yield row(1, 'event_msg', { type: 'agent_message', message: step.said });
        yield row(0, 'response_item', {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: step.said }],
        });
      }
      const call = `call_${words.hex(24)}`;
      const { asked, answered } = items(step, call, cwd, words);
      yield row(1, 'response_item', asked);
      yield count(turn.tokens());
      yield row(1, 'response_item', answered);
    }
    yield row(1, 'event_msg', { type: 'agent_message', message: turn.answer });
    yield row(0, 'response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.answer }] });
    yield count(turn.tokens());
    yield row(0, 'event_msg', {
      type: 'task_complete',
      turn_id: turnId,
      last_agent_message: turn.answer,
      completed_at: Math.floor(at / 1000),
      duration_ms: words.integer(90_000),
    });
  }
}

function items(
  { action, output, failed }: Step,
  call: string,
  cwd: string,
  words: Words,
): { readonly asked: object; readonly answered: object } {
  if (action.kind === 'edit') {
    const { file, old, fresh } = action;
    const patch = `*** Begin Patch\n*** Update File: ${file.path}\n@@\n${[...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)].join('\n')}\n*** End Patch`;
    const success = `Success. Updated the following files:\nM ${file.path}\n`;
    return {
      asked: { type: 'custom_tool_call', status: 'completed', call_id: call, name: 'apply_patch', input: patch },
      answered: {
        type: 'custom_tool_call_output',
        call_id: call,
        output: `Exit code: 0\nWall time: 0 seconds\nOutput:\n${success}`,
      },
    };
  }
  const command =
    action.kind === 'read'
      ? `sed -n '${action.from + 1},${action.from + action.lines.length}p' ${action.file.path}`
      : action.kind === 'search'
        ? `rg -n ${action.pattern}`
        : action.command;
  const printed = action.kind === 'read' ? action.lines.join('\n') : output;
  return {
    asked: {
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: command, workdir: cwd }),
      call_id: call,
    },
    answered: {
      type: 'function_call_output',
      call_id: call,
      output: `Chunk ID: ${words.hex(6)}\nWall time: 0.${words.integer(9999)} seconds\nProcess exited with code ${failed ? 1 : 0}\nOriginal token count: ${printed.length >> 2}\nOutput:\n${printed}\n`,
    },
  };
}

/** A prompt as the model and the person see it: two lines. */
export function codexTyped({ text, at }: Typed): string {
  const timestamp = new Date(at).toISOString();
  const item = JSON.stringify({
    timestamp,
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  const event = JSON.stringify({
    timestamp,
    type: 'event_msg',
    payload: { type: 'user_message', message: text, images: [], local_images: [] },
  });
  return `${item}\n${event}`;
}
