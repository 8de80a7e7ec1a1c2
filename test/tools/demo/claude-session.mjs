/** Writes sample sessions in the form of Claude Code 2.1.332: one file of JSON lines per session, subagents in files below it. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const version = '2.1.332';
const model = 'claude-opus-5-5';
/** Folder names replace all but letters and digits. */
export const claudeProject = (cwd) => cwd.replace(/[^A-Za-z0-9]/g, '-');

/** Ids that are the same on every run, so that pictures and links stay. */
const idOf = (seed) => {
  const h = crypto.createHash('sha256').update(seed).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
};

/** `at`: ms when it began; each row comes some seconds later. */
export class ClaudeSession {
  #rows = [];
  #parent = null;
  #n = 0;
  #seed;
  #place;
  #cwd;
  #branch;
  #agent;
  #oldTodos = [];
  at;

  constructor({ seed, home, cwd, branch, at, agent = null }) {
    this.#seed = seed;
    this.#cwd = cwd;
    this.#branch = branch;
    this.#agent = agent;
    this.at = at;
    this.sessionId = idOf(agent === null ? seed : agent.of);
    const folder = path.join(home, '.claude/projects', claudeProject(cwd));
    this.#place =
      agent === null
        ? path.join(folder, `${this.sessionId}.jsonl`)
        : path.join(folder, this.sessionId, 'subagents', `agent-${agent.id}.jsonl`);
  }

  get file() {
    return this.#place;
  }

  #id(kind) {
    return idOf(`${this.#seed}/${this.#agent?.id ?? ''}/${kind}/${this.#n++}`);
  }

  #row(type, fields, seconds) {
    this.at += seconds * 1000;
    const uuid = this.#id('row');
    this.#rows.push({
      parentUuid: this.#parent,
      isSidechain: this.#agent !== null,
      ...(this.#agent === null ? {} : { agentId: this.#agent.id }),
      type,
      ...fields,
      uuid,
      timestamp: new Date(this.at).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: this.#cwd,
      sessionId: this.sessionId,
      version,
      gitBranch: this.#branch,
    });
    this.#parent = uuid;
    return uuid;
  }

  #blocks(content, stop, seconds) {
    const id = `msg_${this.#id('msg').replaceAll('-', '')}`;
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: 1200,
      cache_read_input_tokens: 18_400 + this.#n * 350,
      output_tokens: 90 + this.#n,
    };
    // One row for each block, as the program writes them; they share the message's id and its usage.
    for (const block of content) {
      const message = {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [block],
        stop_reason: stop,
        stop_sequence: null,
        usage,
      };
      this.#row('assistant', { message }, seconds / content.length);
    }
    return this.#parent;
  }

  /** Goes back to the row `uuid`: what follows is another branch. */
  rewind(uuid) {
    this.#parent = uuid;
    return this;
  }

  get tip() {
    return this.#parent;
  }

  user(text, seconds = 40) {
    this.#row(
      'user',
      { message: { role: 'user', content: text }, ...(this.#agent === null ? { promptSource: 'typed' } : {}) },
      seconds,
    );
    return this;
  }

  say(text, seconds = 6) {
    this.#blocks([{ type: 'text', text }], 'end_turn', seconds);
    return this;
  }

  /** `result`: {content, error?, details?}. `thinking` and `text` come before the call in the same message. */
  tool(name, input, result, { thinking, text, seconds = 3 } = {}) {
    const callId = `toolu_${this.#id('call').replaceAll('-', '').slice(0, 24)}`;
    const blocks = [];
    if (thinking !== undefined) blocks.push({ type: 'thinking', thinking, signature: 'c2FtcGxl' });
    if (text !== undefined) blocks.push({ type: 'text', text });
    blocks.push({ type: 'tool_use', id: callId, name, input });
    const source = this.#blocks(blocks, 'tool_use', 5);
    const block = {
      tool_use_id: callId,
      type: 'tool_result',
      content: result.content,
      ...(result.error === true ? { is_error: true } : {}),
    };
    const toolUseResult =
      result.error === true
        ? `Error: ${result.content}`
        : (result.details ?? { stdout: result.content, stderr: '', interrupted: false, isImage: false });
    this.#row('user', { message: { role: 'user', content: [block] }, toolUseResult, sourceToolAssistantUUID: source }, seconds);
    return this;
  }

  bash(command, output, { code = 0, ...rest } = {}) {
    return this.tool(
      'Bash',
      { command },
      code === 0 ? { content: output } : { content: `Exit code ${code}\n${output}`, error: true },
      rest,
    );
  }

  read(file, text, rest) {
    const lines = text.split('\n');
    const details = {
      type: 'text',
      file: { filePath: file, content: text, numLines: lines.length, startLine: 1, totalLines: lines.length },
    };
    return this.tool(
      'Read',
      { file_path: file },
      { content: lines.map((l, i) => `${i + 1}\t${l}`).join('\n'), details },
      { seconds: 0.2, ...rest },
    );
  }

  /** `hunk`: the lines of one unified hunk from line `line` on, each with its sign. */
  edit(file, hunk, { line = 1, ...rest } = {}) {
    const side = (sign) => hunk.filter((l) => l[0] !== sign).map((l) => l.slice(1));
    const [before, after] = [side('+'), side('-')];
    const patch = [{ oldStart: line, oldLines: before.length, newStart: line, newLines: after.length, lines: hunk }];
    const input = { file_path: file, old_string: before.join('\n'), new_string: after.join('\n'), replace_all: false };
    const details = {
      filePath: file,
      oldString: input.old_string,
      newString: input.new_string,
      structuredPatch: patch,
      userModified: false,
      replaceAll: false,
    };
    return this.tool(
      'Edit',
      input,
      { content: `The file ${file} has been updated successfully.`, details },
      { seconds: 0.3, ...rest },
    );
  }

  todos(items, rest) {
    const newTodos = items.map(([content, status]) => ({ content, status, activeForm: content }));
    const details = { oldTodos: this.#oldTodos, newTodos };
    this.#oldTodos = newTodos;
    return this.tool(
      'TodoWrite',
      { todos: newTodos },
      { content: 'Todos have been modified successfully.', details },
      { seconds: 0.1, ...rest },
    );
  }

  /** A subagent that runs in the foreground: `play(session)` writes its rows. */
  agent({ type, description, prompt, report }, play) {
    const id = `a${idOf(`${this.#seed}/${description}`).replaceAll('-', '').slice(0, 16)}`;
    const child = new ClaudeSession({
      seed: this.#seed,
      home: this.#home(),
      cwd: this.#cwd,
      branch: this.#branch,
      at: this.at,
      agent: { id, of: this.#seed },
    });
    child.user(prompt, 6);
    play(child);
    child.say(report);
    const seconds = (child.at - this.at) / 1000;
    const details = {
      status: 'completed',
      prompt,
      agentId: id,
      agentType: type,
      content: [{ type: 'text', text: report }],
      totalDurationMs: seconds * 1000,
      totalTokens: 14_200,
      totalToolUseCount: 3,
    };
    this.tool(
      'Agent',
      { description, prompt, subagent_type: type },
      { content: [{ type: 'text', text: report }], details },
      { seconds },
    );
    const callId = this.#rows.at(-1).message.content[0].tool_use_id;
    child.save();
    fs.writeFileSync(
      child.file.replace(/\.jsonl$/, '.meta.json'),
      JSON.stringify({ agentType: type, description, toolUseId: callId, spawnDepth: 1, finished: true }),
    );
    return this;
  }

  #home() {
    return this.#place.slice(0, this.#place.indexOf(`${path.sep}.claude${path.sep}`));
  }

  turnEnd(durationMs) {
    this.#row('system', { subtype: 'turn_duration', durationMs, messageCount: this.#rows.length, isMeta: false }, 0);
    return this;
  }

  title(text) {
    this.#rows.push({ type: 'custom-title', customTitle: text, sessionId: this.sessionId });
    return this;
  }

  /** Rows not yet written are appended; the file gets the time of the last one. */
  save() {
    fs.mkdirSync(path.dirname(this.#place), { recursive: true });
    fs.appendFileSync(
      this.#place,
      this.#rows
        .splice(0)
        .map((r) => `${JSON.stringify(r)}\n`)
        .join(''),
    );
    fs.utimesSync(this.#place, this.at / 1000, this.at / 1000);
    return this;
  }
}
