/**
 * Sessions of Claude Code whose end is not simply their last record: branches, the program's own marks of where it goes on, calls that
 * nobody answered.
 */
import fs from 'node:fs';

const id = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const nil = '00000000-0000-0000-0000-000000000000';

/** Writes a hand-made session of rows: `[uuid, parent, what]`, or a whole row. Returns its id. */
export function sessionOf(world, rows) {
  const nativeId = '11111111-2222-4333-8444-555555555555';
  let time = Date.now() - 3_600_000;
  const lines = rows.map((row) => {
    if (!Array.isArray(row)) return { sessionId: nativeId, ...row };
    const [uuid, parent, what, extra] = row;
    time += 1000;
    const blocks = typeof what === 'string' ? what : (what.blocks ?? what);
    const isAnswer = what.answer !== undefined || what.calls !== undefined;
    const content = isAnswer
      ? [
          ...(what.answer === undefined ? [] : [{ type: 'text', text: what.answer }]),
          ...(what.calls ?? []).map((name) => ({ type: 'tool_use', id: name, name: 'Bash', input: { command: `run ${name}` } })),
        ]
      : what.result === undefined
        ? blocks
        : [{ type: 'tool_result', tool_use_id: what.result, content: `gave ${what.result}`, is_error: false }];
    const message = isAnswer
      ? { id: what.id ?? `msg_${uuid}`, type: 'message', role: 'assistant', model: '<synthetic>', content, stop_reason: null }
      : { role: 'user', content };
    return {
      parentUuid: parent === null ? null : id(parent),
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd: world.cwd,
      sessionId: nativeId,
      version: '2.1.332',
      gitBranch: 'main',
      type: isAnswer ? 'assistant' : 'user',
      message,
      uuid: id(uuid),
      timestamp: new Date(time).toISOString(),
      ...extra,
    };
  });
  const folder = `${world.claudeHome}/projects/${world.cwd.replaceAll(/[^A-Za-z0-9]/g, '-')}`;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(`${folder}/${nativeId}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return nativeId;
}

const start = [
  [1, null, 'First ask'],
  [2, 1, { answer: 'First answer' }],
  [3, 2, 'Second ask'],
  [4, 3, { answer: 'Second answer' }],
];
export const trees = {
  'one line': start,
  'a branch that was written later': [...start, [5, 2, 'Other ask'], [6, 5, { answer: 'Other answer' }]],
  'a later branch, and the program’s mark on the earlier one': [
    ...start,
    [5, 2, 'Other ask'],
    [6, 5, { answer: 'Other answer' }],
    { type: 'last-prompt', lastPrompt: 'Second ask', leafUuid: id(4) },
  ],
  'a mark in the middle of the newest branch': [
    ...start,
    { type: 'last-prompt', lastPrompt: 'First ask', leafUuid: id(2) },
    [5, 4, 'Third ask'],
    [6, 5, { answer: 'Third answer' }],
  ],
  'a mark above two branches': [
    ...start,
    [5, 2, 'Other ask'],
    [6, 5, { answer: 'Other answer' }],
    { type: 'last-prompt', lastPrompt: 'First ask', leafUuid: id(2) },
  ],
  'a mark on the branch that is not the newest, half way': [
    ...start,
    [5, 1, { answer: 'Other answer' }],
    { type: 'last-prompt', lastPrompt: 'Second ask', leafUuid: id(3) },
  ],
  'an explicit mark at the end': [...start, { type: 'last-prompt', lastPrompt: 'First ask', leafUuid: id(2), explicit: true }],
  'an explicit mark with a record behind it': [
    ...start,
    { type: 'last-prompt', lastPrompt: 'First ask', leafUuid: id(2), explicit: true },
    [5, 2, 'Other ask'],
    [6, 5, { answer: 'Other answer' }],
  ],
  'a rewind that began a branch': [
    ...start,
    [5, 2, 'Other ask'],
    { type: 'last-prompt', lastPrompt: 'Other ask', leafUuid: nil, explicit: true },
    [6, 5, { answer: 'Other answer' }],
  ],
  'a prompt that nobody answered': [...start, [5, 4, 'Third ask']],
  'two calls at the end, one of them answered': [
    ...start,
    [5, 4, 'Third ask'],
    [6, 5, { id: 'msg_both', calls: ['callA'] }],
    [7, 6, { id: 'msg_both', calls: ['callB'] }],
    [8, 6, { result: 'callA' }],
  ],
  'a call at the end': [...start, [5, 4, 'Third ask'], [6, 5, { answer: 'Trying.', calls: ['callA'] }]],
};
