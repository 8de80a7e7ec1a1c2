import { expect, test } from 'vitest';
import { fixtures, noSidecars, readFile, recordsOf, sessionFiles } from '../fixture-records.ts';
import { claudeReader } from './reader.ts';

const records = recordsOf(Buffer.from('{"type":"user","sessionId":"eab3608f-3d50-4927-be71-0a13393b672b"}\n'));
const hostile = recordsOf(Buffer.from('{"type":"user","sessionId":"../../../outside","agentId":"../../etc/x"}\n'));
const base = '/home/user/.claude/projects/-home-user-shop';

/** A desktop list folder with one list file. */
function disk(text: string): typeof noSidecars {
  return {
    text: (path) => (path.endsWith('.config/Claude/claude-code-sessions/a/o/local_1.json') ? text : undefined),
    list: (folder) =>
      folder.endsWith('claude-code-sessions')
        ? ['a']
        : folder.endsWith('/a')
          ? ['o']
          : folder.endsWith('/o')
            ? ['local_1.json', 'other.json']
            : [],
  };
}

test('the file name is the session, whatever the records say', () => {
  const identity = claudeReader.identify(`${base}/11111111-2222-4333-8444-555555555555.jsonl`, hostile, noSidecars);
  expect(identity).toEqual({
    nativeId: '11111111-2222-4333-8444-555555555555',
    part: '11111111-2222-4333-8444-555555555555',
    needs: [],
  });
});

test('a subagent belongs to the session of its folder, in the flat layout to that of its records', () => {
  const parent = 'eab3608f-3d50-4927-be71-0a13393b672b';
  const meta = {
    text: (path: string) => (path.endsWith('/agent-a1.meta.json') ? '{"toolUseId":"toolu_1","description":"Look"}' : undefined),
    list: () => [],
  };
  expect(claudeReader.identify(`${base}/${parent}/subagents/agent-a1.jsonl`, hostile, meta)).toEqual({
    nativeId: 'a1',
    part: 'a1',
    childOf: { nativeId: parent, callId: 'toolu_1', title: 'Look' },
    needs: [parent],
  });
  expect(
    claudeReader.identify(`${base}/${parent}/subagents/workflows/wf_9/agent-b.jsonl`, records, noSidecars)?.childOf?.nativeId,
  ).toBe(parent);
  expect(claudeReader.identify(`${base}/agent-deadbeef.jsonl`, records, noSidecars)?.childOf?.nativeId).toBe(parent);
  expect(claudeReader.identify(`${base}/agent-deadbeef.jsonl`, hostile, noSidecars)?.childOf).toBe(undefined);
  expect(claudeReader.identify(`C:\\Users\\me\\.claude\\projects\\C--shop\\${parent}.jsonl`, records, noSidecars)?.nativeId).toBe(
    parent,
  );
});

test('an empty file, a journal and a list are no sessions', () => {
  expect(claudeReader.identify(`${base}/11111111-2222-4333-8444-555555555555.jsonl`, [], noSidecars)).toBe(undefined);
  expect(claudeReader.identify(`${base}/journal.jsonl`, records, noSidecars)).toBe(undefined);
  expect(claudeReader.identify('/home/user/notes/11111111-2222-4333-8444-555555555555.jsonl', records, noSidecars)).toBe(
    undefined,
  );
});

test('every session file of the fixtures is told apart', () => {
  const ids = sessionFiles(`${fixtures}claude`).map((path) => readFile(path).identity);
  expect(ids).toHaveLength(30);
  expect(ids.filter((identity) => identity.childOf !== undefined)).toHaveLength(8);
});

test('Claude Desktop’s lists give titles and archive marks, Cowork’s the folder that the person chose', () => {
  const [code, cowork] = [
    `${fixtures}claude-desktop/home/.claude/projects/-home-user-shop/3b0e7c1a-1111-4222-8333-444455556666.jsonl`,
    sessionFiles(`${fixtures}claude-desktop`).find((path) => path.includes('local-agent-mode-sessions')) ?? '',
  ];
  const { identity } = readFile(code);
  const list =
    '{"cliSessionId":"3b0e7c1a-1111-4222-8333-444455556666","title":"Cart total bug","titleSource":"auto","isArchived":true}';
  expect(claudeReader.sidecarFacts?.(identity, code, disk(list))).toEqual({ generatedTitle: 'Cart total bug', archived: true });
  expect(claudeReader.sidecarFacts?.(identity, code, disk('{"cliSessionId":7}'))).toEqual({});
  const inner = readFile(cowork);
  expect(inner.facts).toMatchObject({ surface: 'cowork', firstPrompt: 'Sort my notes' });
  expect(inner.facts.cwd).toBe(undefined);
  expect(
    claudeReader.sidecarFacts?.(inner.identity, cowork, {
      ...noSidecars,
      text: (path) =>
        path.endsWith('local_7f3f8e3a-2e7c-4e57-9d66-3b4a5f6e7d8c.json')
          ? '{"title":"Sort my notes","userSelectedFolders":["/home/user/notes"],"isArchived":false}'
          : undefined,
    }),
  ).toEqual({
    generatedTitle: 'Sort my notes',
    archived: false,
    startCwd: '/home/user/notes',
    cwd: '/home/user/notes',
  });
});
