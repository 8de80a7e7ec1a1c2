/** Made-up Codex sessions in the shape that version 0.125 writes (legacy history): model items and the events that repeat them. */
import type { MadeSession } from './claude-session.ts';
import { Words } from './words.ts';

export function codexSession(seed: number, cwd: string, startedAt: number): MadeSession {
  const words = new Words(seed);
  const id = `01a2${words.hex(4)}-${words.hex(4)}-7${words.hex(3)}-8${words.hex(3)}-${words.hex(12)}`;
  return { id, rows: () => codexRows(new Words(seed + 1), id, cwd, startedAt) };
}

function* codexRows(words: Words, id: string, cwd: string, startedAt: number): Generator<string> {
  let at = startedAt;
  let total = 0;
  const line = (type: string, payload: Record<string, unknown>): string => {
    at += 100 + words.integer(10_000);
    return JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload });
  };
  const tokens = (): string => {
    total += 1400;
    const usage = {
      input_tokens: total,
      cached_input_tokens: 687,
      output_tokens: 83,
      reasoning_output_tokens: 7,
      total_tokens: total + 83,
    };
    return line('event_msg', {
      type: 'token_count',
      info: { total_token_usage: usage, last_token_usage: { ...usage, input_tokens: 1400 }, model_context_window: 258_400 },
      rate_limits: { limit_id: 'codex', limit_name: null, primary: null, secondary: null },
    });
  };
  yield line('session_meta', {
    id,
    timestamp: new Date(at).toISOString(),
    cwd,
    originator: 'codex_cli_rs',
    cli_version: '0.125.0',
    source: 'cli',
    model_provider: 'openai',
    base_instructions: { text: words.sentence(20_000) },
    git: { commit_hash: words.hex(40), branch: 'main' },
  });
  for (;;) {
    const turn = `01a2${words.hex(4)}-${words.hex(4)}-7${words.hex(3)}-8${words.hex(3)}-${words.hex(12)}`;
    yield line('event_msg', {
      type: 'task_started',
      turn_id: turn,
      started_at: Math.floor(at / 1000),
      model_context_window: 258_400,
    });
    yield line('turn_context', {
      turn_id: turn,
      cwd,
      approval_policy: 'never',
      sandbox_policy: { type: 'workspace-write' },
      model: 'gpt-5',
      summary: 'auto',
    });
    const prompt = words.sentence(60 + words.integer(400));
    yield line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] });
    yield line('event_msg', { type: 'user_message', message: prompt, images: [], local_images: [] });
    const steps = 1 + words.integer(8);
    for (let step = 0; step < steps; step++) {
      const thought = words.sentence(60);
      yield line('event_msg', { type: 'agent_reasoning', text: thought });
      yield line('response_item', {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: thought }],
        content: null,
        encrypted_content: `gAAAAAB${words.hex(600)}`,
      });
      const call = `call_${words.hex(20)}`;
      yield line('response_item', {
        type: 'function_call',
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: `npm run ${words.word()} -- ${words.word()}` }),
        call_id: call,
      });
      yield tokens();
      yield line('response_item', {
        type: 'function_call_output',
        call_id: call,
        output: `Chunk ID: ${words.hex(6)}\nWall time: 0.1 seconds\nProcess exited with code ${words.random() < 0.12 ? 1 : 0}\nOutput:\n${words.lines(Math.min(60_000, words.size(900, 1.3)))}`,
      });
    }
    const answer = words.sentence(200 + words.integer(1500));
    yield line('event_msg', { type: 'agent_message', message: answer });
    yield line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] });
    yield tokens();
    yield line('event_msg', {
      type: 'task_complete',
      turn_id: turn,
      last_agent_message: answer,
      completed_at: Math.floor(at / 1000),
      duration_ms: words.integer(90_000),
    });
  }
}

/** A prompt as the model and the person see it: two lines. */
export function codexPrompt(text: string, at: number): string {
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
