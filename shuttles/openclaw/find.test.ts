import { expect, test } from 'vitest';
import { openclawFind } from './find.ts';
import { isAutomationKey, isSubagentKey, sessionFile } from './names.ts';

const id = '01a0667f-1680-79a2-81b3-ff254144af7e';

test('agents lie below the home on every platform, and below the folders that its variables name', () => {
  const roots = (
    platform: 'linux' | 'darwin' | 'win32',
    home: string,
    variables: Readonly<Record<string, string>> = {},
  ): unknown => openclawFind.roots({ platform, home, variables }).map(({ path }) => path);
  expect(roots('linux', '/home/user')).toEqual(['/home/user/.openclaw/agents', '/home/user/.openclaw-dev/agents']);
  expect(roots('darwin', '/Users/user')).toEqual(['/Users/user/.openclaw/agents', '/Users/user/.openclaw-dev/agents']);
  expect(roots('win32', 'C:\\Users\\user')).toEqual([
    'C:\\Users\\user\\.openclaw\\agents',
    'C:\\Users\\user\\.openclaw-dev\\agents',
  ]);
  expect(roots('linux', '/home/user', { OPENCLAW_STATE_DIR: '/srv/claw' })).toEqual(['/srv/claw/agents']);
  expect(roots('linux', '/home/user', { OPENCLAW_STATE_DIR: '~/claw', OPENCLAW_HOME: '/srv' })).toEqual(['/srv/claw/agents']);
  expect(roots('linux', '/home/user', { OPENCLAW_HOME: '/srv' })).toEqual(['/srv/.openclaw/agents', '/srv/.openclaw-dev/agents']);
  // They would name another folder in each process.
  expect(roots('linux', '/home/user', { OPENCLAW_STATE_DIR: 'claw', OPENCLAW_HOME: ' ' })).toEqual(roots('linux', '/home/user'));
});

test('transcripts and each agent’s database are sessions; what was deleted, copied, traced, locked or migrated is not', () => {
  const [root] = openclawFind.roots({ platform: 'linux', home: '/home/user', variables: {} });
  const yes = [
    `main/sessions/${id}.jsonl`,
    `main/sessions/${id}-topic-12.jsonl`,
    `main/sessions/${id}.jsonl.zst`,
    `main/sessions/${id}.jsonl.reset.2026-09-02T10-00-00.000Z`,
    `main/sessions/${id}.jsonl.reset.2026-09-02T10-00-00.000Z.f2d7daef95cf.zst`,
    'other/agent/openclaw-agent.sqlite',
  ];
  const no = [
    `main/sessions/${id}.jsonl.deleted.2026-09-02T10-00-00.000Z`,
    `main/sessions/${id}.jsonl.deleted.2026-09-02T10-00-00.000Z.f2d7daef95cf.zst`,
    `main/sessions/${id}.checkpoint.${id}.jsonl`,
    `main/sessions/${id}.trajectory.jsonl`,
    `main/sessions/${id}.jsonl.lock`,
    `main/sessions/${id}.jsonl.bak`,
    `main/session-sqlite-import-archive/key.${id}.jsonl.imported-1796010000000`,
    'main/sessions/sessions.json',
    'main/agent/openclaw-agent.sqlite-wal',
    'main/agent/other.sqlite',
    'main/openclaw.sqlite',
    'openclaw-agent.sqlite',
    `../sessions/${id}.jsonl`,
    `main/sessions/../${id}.jsonl`,
    `/sessions/${id}.jsonl`,
  ];
  expect(yes.filter((name) => root?.matches(name) !== true)).toEqual([]);
  expect(no.filter((name) => root?.matches(name) !== false)).toEqual([]);
  expect(
    ['main', 'main/sessions', 'main/agent', 'main/qmd', 'main/sessions/skills-prompts'].map((name) => root?.enters?.(name)),
  ).toEqual([true, true, true, false, false]);
});

test('a file’s name tells the session, without its topic, and whether it was set aside', () => {
  expect(sessionFile(`/x/${id}-topic-12.jsonl`)).toEqual({ stem: `${id}-topic-12`, id, kind: 'live' });
  expect(sessionFile(`C:\\x\\${id}.jsonl.reset.2026-09-02T10-00-00.000Z`)).toEqual({ stem: id, id, kind: 'reset' });
  expect(sessionFile('named.jsonl')).toEqual({ stem: 'named', id: 'named', kind: 'live' });
  expect(sessionFile('-x.jsonl')).toBeUndefined();
});

test('session keys tell who began them', () => {
  for (const key of ['cron:1', 'hook:1', 'agent:main:cron:daily', 'agent:main:main:heartbeat', 'agent:main:hook:1'])
    expect(isAutomationKey(key), key).toBe(true);
  for (const key of ['agent:main:main', 'agent:main:crontab', 'agent:main:telegram:group:-1', 'agent:hooked:main', ''])
    expect(isAutomationKey(key), key).toBe(false);
  expect([isSubagentKey('agent:main:subagent:1'), isSubagentKey('agent:main:main')]).toEqual([true, false]);
});
