/** Made-up Claude Code sessions in the shape that version 2.1.332 writes: turns with tool pairs, split messages, noise rows. */
import { Words } from './words.ts';

export interface MadeSession {
  readonly id: string;
  /** Rows one after another, without line ends; endless. */
  readonly rows: () => Generator<string>;
}

export function claudeSession(seed: number, cwd: string, startedAt: number): MadeSession {
  const id = new Words(seed).uuid();
  return { id, rows: () => claudeRows(new Words(seed + 1), id, cwd, startedAt) };
}

function* claudeRows(words: Words, sessionId: string, cwd: string, startedAt: number): Generator<string> {
  let at = startedAt;
  let parent: string | null = null;
  const row = (fields: Record<string, unknown>): string => {
    const uuid = words.uuid();
    at += 200 + words.integer(20_000);
    const line = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: new Date(at).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version: '2.1.332',
      gitBranch: 'main',
    });
    parent = uuid;
    return line;
  };
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 1788,
    output_tokens: 54,
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 900 },
  };
  const assistant = (messageId: string, block: unknown, stop: string): string =>
    row({
      message: {
        id: messageId,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [block],
        stop_reason: stop,
        stop_sequence: null,
        usage,
      },
      requestId: `req_${words.hex(20)}`,
      type: 'assistant',
    });

  yield row({
    attachment: { type: 'prompt_snapshot', systemPrompt: [words.sentence(9000)] },
    type: 'attachment',
    rendered: [{ content: words.sentence(400) }],
    renderedRole: 'system',
  });
  for (;;) {
    const prompt = words.sentence(60 + words.integer(400));
    yield JSON.stringify({
      type: 'queue-operation',
      operation: 'enqueue',
      timestamp: new Date(at).toISOString(),
      sessionId,
      content: prompt,
    });
    yield row({
      promptId: words.uuid(),
      type: 'user',
      message: { role: 'user', content: prompt },
      permissionMode: 'default',
      promptSource: 'typed',
      turnOrigin: 'human',
    });
    const steps = 1 + words.integer(8);
    for (let step = 0; step < steps; step++) {
      const messageId = `msg_${words.hex(24)}`;
      if (words.random() < 0.5)
        yield assistant(messageId, { type: 'text', text: words.sentence(80 + words.integer(600)) }, 'tool_use');
      const call = `toolu_${words.hex(24)}`;
      const edit = words.random() < 0.25;
      const path = `${cwd}/src/${words.word()}-${words.integer(90)}.ts`;
      const command = `npm run ${words.word()} -- ${words.word()}`;
      yield assistant(
        messageId,
        {
          type: 'tool_use',
          id: call,
          name: edit ? 'Edit' : 'Bash',
          input: edit
            ? { file_path: path, old_string: words.lines(120), new_string: words.lines(160) }
            : { command, description: words.sentence(30) },
        },
        'tool_use',
      );
      const output = edit ? `The file ${path} has been updated.` : words.lines(Math.min(60_000, words.size(700, 1.3)));
      const failed = !edit && words.random() < 0.12;
      yield row({
        type: 'user',
        message: { role: 'user', content: [{ tool_use_id: call, type: 'tool_result', content: output, is_error: failed }] },
        toolUseResult: edit
          ? {
              filePath: path,
              oldString: 'a',
              newString: 'b',
              structuredPatch: [
                {
                  oldStart: 3,
                  oldLines: 1,
                  newStart: 3,
                  newLines: 2,
                  lines: ['-  const a = 1;', '+  const a = 2;', '+  const b = 3;'],
                },
              ],
              userModified: false,
              replaceAll: false,
            }
          : failed
            ? `Error: Exit code 1\n${output}`
            : { stdout: output, stderr: '', interrupted: false, isImage: false },
      });
    }
    yield assistant(`msg_${words.hex(24)}`, { type: 'text', text: words.sentence(200 + words.integer(1500)) }, 'end_turn');
    yield row({ type: 'system', subtype: 'turn_duration', durationMs: words.integer(90_000), messageCount: steps });
    yield JSON.stringify({ type: 'last-prompt', lastPrompt: prompt, leafUuid: parent, sessionId });
  }
}

/** One more prompt for the end of a session whose last row is `parent`: what a person types while Loom watches. */
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
    userType: 'external',
    entrypoint: 'cli',
    cwd,
    sessionId,
    version: '2.1.332',
    gitBranch: 'main',
  });
  return { line, uuid };
}
