/** Writes sample sessions in the form of Codex 0.171.0 (paginated): what the model sees and what the person sees, side by side. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** A version 7 UUID of that time; the rest is the same on every run. */
function idAt(ms, seed) {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  const h = crypto.createHash('sha256').update(seed).digest('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${h.slice(0, 3)}-a${h.slice(3, 6)}-${h.slice(6, 18)}`;
}

const two = (n) => String(n).padStart(2, '0');

export class CodexSession {
  #lines = [];
  #ordinal = 0;
  #n = 0;
  #seed;
  #cwd;
  #turn = null;
  #turnBegan = 0;
  #tokens = 0;
  #home;
  #began;
  at;

  constructor({ seed, home, cwd, branch, at }) {
    this.#seed = seed;
    this.#cwd = cwd;
    this.#home = home;
    this.#began = at;
    this.at = at;
    this.threadId = idAt(at, seed);
    this.#line('session_meta', {
      session_id: this.threadId,
      id: this.threadId,
      timestamp: new Date(at).toISOString(),
      cwd,
      originator: 'codex-tui',
      cli_version: '0.171.0',
      source: 'cli',
      thread_source: 'user',
      model_provider: 'openai',
      history_mode: 'paginated',
      git: { commit_hash: '8a6eccd23088668552dc1172a77526b411c819f5', branch },
    });
  }

  get file() {
    const began = new Date(this.#began);
    const day = [began.getFullYear(), two(began.getMonth() + 1), two(began.getDate())];
    const time = [began.getHours(), began.getMinutes(), began.getSeconds()].map(two).join('-');
    return path.join(
      this.#home,
      '.codex/sessions',
      ...day.map(String),
      `rollout-${day.join('-')}T${time}-${this.threadId}.jsonl`,
    );
  }

  #line(type, payload, seconds = 0) {
    this.at += seconds * 1000;
    this.#lines.push({ timestamp: new Date(this.at).toISOString(), ordinal: this.#ordinal++, type, payload });
  }

  #item(item, seconds = 0) {
    const began = this.at;
    this.at += seconds * 1000;
    this.#line('event_msg', {
      type: 'item_completed',
      thread_id: this.threadId,
      turn_id: this.#turn,
      item,
      started_at_ms: began,
      completed_at_ms: this.at,
    });
  }

  #new(kind) {
    return `${kind}_${idAt(this.at, `${this.#seed}/${this.#n++}`)}`;
  }

  /** Begins a turn with a prompt. */
  user(text, seconds = 30) {
    this.at += seconds * 1000;
    this.#turn = idAt(this.at, `${this.#seed}/turn/${this.#n++}`);
    this.#turnBegan = this.at;
    this.#line('event_msg', {
      type: 'task_started',
      turn_id: this.#turn,
      started_at: Math.floor(this.at / 1000),
      model_context_window: 258_400,
      collaboration_mode_kind: 'default',
    });
    this.#line('turn_context', {
      turn_id: this.#turn,
      cwd: this.#cwd,
      approval_policy: 'on-request',
      model: 'gpt-6-sol',
      summary: 'auto',
    });
    const id = this.#new('msg');
    this.#line('response_item', { type: 'message', id, role: 'user', content: [{ type: 'input_text', text }] });
    this.#item({ type: 'UserMessage', id: this.#new('item'), content: [{ type: 'text', text, text_elements: [] }] });
    return this;
  }

  /** A remark between tools, or with `last` the answer that ends the turn. */
  say(text, { last = false, seconds = 5 } = {}) {
    this.at += seconds * 1000;
    const id = this.#new('msg');
    const phase = last ? 'final_answer' : 'commentary';
    this.#item({ type: 'AgentMessage', id, content: [{ type: 'Text', text }], phase });
    this.#line('response_item', {
      type: 'message',
      status: 'completed',
      id,
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
      phase,
    });
    if (!last) return this;
    this.#usage();
    const durationMs = this.at - this.#turnBegan;
    this.#line('event_msg', {
      type: 'task_complete',
      turn_id: this.#turn,
      last_agent_message: text,
      completed_at: Math.floor(this.at / 1000),
      duration_ms: durationMs,
    });
    return this;
  }

  think(text) {
    this.#line(
      'response_item',
      {
        type: 'reasoning',
        id: this.#new('rs'),
        summary: [{ type: 'summary_text', text }],
        content: null,
        encrypted_content: 'c2FtcGxl',
      },
      4,
    );
    return this;
  }

  #usage() {
    const usage = {
      input_tokens: 9000 + this.#n * 400,
      cached_input_tokens: 6000,
      cache_write_input_tokens: 0,
      output_tokens: 300,
      reasoning_output_tokens: 60,
      total_tokens: 9300 + this.#n * 400,
    };
    this.#tokens += usage.total_tokens;
    const thread = { ...usage, total_tokens: this.#tokens };
    this.#line('token_usage_record', {
      thread_id: this.threadId,
      turn_id: this.#turn,
      response_id: this.#new('resp'),
      usage,
      turn_token_usage: usage,
      thread_token_usage: thread,
    });
  }

  exec(cmd, output, { code = 0, seconds = 2 } = {}) {
    const id = this.#new('call');
    this.#line(
      'response_item',
      { type: 'function_call', status: 'completed', name: 'exec_command', arguments: JSON.stringify({ cmd }), call_id: id },
      2,
    );
    this.#item(
      {
        type: 'CommandExecution',
        id,
        command: ['/bin/bash', '-lc', cmd],
        cwd: `file://${this.#cwd}`,
        parsed_cmd: [{ type: 'unknown', cmd }],
        source: 'unified_exec_startup',

        status: code === 0 ? 'completed' : 'failed',
        aggregated_output: output,
        exit_code: code,
        duration: { secs: Math.floor(seconds), nanos: Math.round((seconds % 1) * 1e9) },
      },
      seconds,
    );
    const text = `Chunk ID: ${id.slice(-6)}\nWall time: ${seconds.toFixed(4)} seconds\nProcess exited with code ${code}\nOutput:\n${output}`;
    this.#line('response_item', { type: 'function_call_output', call_id: id, output: text });
    return this;
  }

  /** `changes`: `[[file, 'update', unifiedDiff] | [file, 'add', content]]`. */
  patch(changes, input) {
    const id = this.#new('call');
    const short = (file) => path.relative(this.#cwd, file);
    this.#line('response_item', { type: 'custom_tool_call', status: 'completed', call_id: id, name: 'apply_patch', input }, 3);
    const shaped = changes.map(([file, type, text]) => [
      file,
      type === 'add' ? { type, content: text } : { type, unified_diff: text, move_path: null },
    ]);
    const stdout = `Success. Updated the following files:\n${changes.map(([file, type]) => `${type === 'add' ? 'A' : 'M'} ${short(file)}\n`).join('')}`;
    this.#item({ type: 'FileChange', id, changes: Object.fromEntries(shaped), status: 'completed', stdout, stderr: '' }, 0.1);
    this.#line('response_item', { type: 'custom_tool_call_output', call_id: id, output: stdout });
    return this;
  }

  plan(items) {
    const id = this.#new('call');
    const plan = items.map(([step, status]) => ({ step, status }));
    this.#line(
      'response_item',
      { type: 'function_call', status: 'completed', name: 'update_plan', arguments: JSON.stringify({ plan }), call_id: id },
      2,
    );
    this.#line('response_item', { type: 'function_call_output', call_id: id, output: 'Plan updated' });
    return this;
  }

  /** The name that the person gave the thread stands in an index beside all sessions. */
  title(text) {
    const folder = path.join(this.#home, '.codex');
    const row = { id: this.threadId, thread_name: text, updated_at: new Date(this.at).toISOString() };
    fs.mkdirSync(folder, { recursive: true });
    fs.appendFileSync(path.join(folder, 'session_index.jsonl'), `${JSON.stringify(row)}\n`);
    return this;
  }

  save() {
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
    fs.appendFileSync(
      this.file,
      this.#lines
        .splice(0)
        .map((l) => `${JSON.stringify(l)}\n`)
        .join(''),
    );
    fs.utimesSync(this.file, this.at / 1000, this.at / 1000);
    return this;
  }
}
