/**
 * What every shuttle must keep, run over the registry: a harness is done when it passes. Programs' own acceptance of what is written is
 * seen in test/agents.
 */
import fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { portableMessages } from '../../server/drive/portable.ts';
import { readBack } from '../../server/drive/read-back.ts';
import { contextOf } from '../../server/ledger/transcript.ts';
import { databasesIn } from '../../server/main/databases.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { JsonObject } from '../../shuttles/contract/json.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import type { NativeRecord, Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Machine, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { shuttles } from '../../shuttles/registry.ts';
import { fixtures, HomeLedger } from '../home-ledger.ts';

const environment: Environment = { platform: 'linux', home: '/home/user', variables: {} };
const sidecars: Sidecars = { text: () => undefined, list: () => [] };
/** Nothing is looked at, so that no copies are made. */
const databases = databasesIn('');
const nothing: Machine = {
  list: () => [],
  text: () => undefined,
  isFile: () => false,
  processStart: () => undefined,
  isLocked: () => undefined,
};

test('the registry names each harness once', () => {
  expect(new Set(shuttles.map((shuttle) => shuttle.harness)).size).toBe(shuttles.length);
  expect(shuttles.map((shuttle) => shuttle.harness)).toEqual(['claude', 'codex', 'pi', 'gemini', 'antigravity', 'openclaw']);
});

describe.each(shuttles.map((shuttle) => [shuttle.harness, shuttle] as const))('%s', (_, shuttle) => {
  test('looks below the home on every platform, and never at the whole of it', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const home = platform === 'win32' ? 'C:\\Users\\user' : '/home/user';
      const roots = shuttle.find.roots({ platform, home, variables: {} });
      expect(roots.length).toBeGreaterThan(0);
      for (const root of roots) {
        expect(root.path.startsWith(home)).toBe(true);
        expect(root.path.length).toBeGreaterThan(home.length + 3);
        expect(root.matches('../../etc/passwd')).toBe(false);
        expect(root.matches('x.txt')).toBe(false);
      }
    }
  });

  test('reads any records at all: nothing is thrown, no state grows, the same records give the same', () => {
    const value = fc.dictionary(
      fc.constantFrom(
        'type',
        'uuid',
        'parentUuid',
        'message',
        'content',
        'payload',
        'timestamp',
        'id',
        'role',
        'item',
        'name',
        'call_id',
        'output',
        'subtype',
        'attachment',
        'usage',
        'turn_id',
        'arguments',
        'info',
        'parentId',
        'targetId',
        'replacement',
        'summary',
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom(
          'user',
          'assistant',
          'system',
          'response_item',
          'event_msg',
          'session_meta',
          'compacted',
          'message',
          'function_call',
          'tool_result',
          'token_count',
          'item_completed',
          'attachment',
          'last-prompt',
          'session',
          'toolResult',
          'compaction',
          'context_edit',
          'model_change',
        ),
      ),
      { maxKeys: 10 },
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), (values) => {
        let offset = 0;
        const records = values.map((record): NativeRecord => {
          const length = JSON.stringify(record).length;
          const made: NativeRecord = { ok: true, offset, length, value: record };
          offset += length + 1;
          return made;
        });
        const identity = shuttle.reader.identify(sessionPath(shuttle), records, sidecars) ?? {
          nativeId: 'x',
          part: 'x',
          needs: [],
        };
        const start = shuttle.reader.start(identity, sessionPath(shuttle));
        const once = shuttle.reader.read(start, records);
        expect(shuttle.reader.read(JSON.parse(JSON.stringify(start)), records)).toEqual(once);
        expect(JSON.stringify(once.state).length).toBeLessThan(400_000);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  test('a damaged record is an entry or a warning, and so is one of a type that nobody knows', () => {
    const records: NativeRecord[] = [
      { ok: false, offset: 0, length: 4, text: 'oops', reason: 'no JSON' },
      {
        ok: true,
        offset: 5,
        length: 30,
        value: {
          type: 'a-type-of-tomorrow',
          uuid: '00000000-0000-4000-8000-000000000001',
          payload: { x: 1 },
          timestamp: '2026-11-30T00:00:00Z',
        },
      },
    ];
    const identity = {
      nativeId: '00000000-0000-4000-8000-0000000000aa',
      part: '00000000-0000-4000-8000-0000000000aa',
      needs: [],
    };
    const { outputs } = shuttle.reader.read(shuttle.reader.start(identity, sessionPath(shuttle)), records);
    expect(outputs.some((output) => output.type === 'warning' || (output.type === 'entry' && output.kind === 'opaque'))).toBe(
      true,
    );
    expect(outputs.some((output) => output.type === 'entry' && output.kind === 'opaque' && output.offset === 5)).toBe(true);
  });

  test('what it lacks is declared with a reason; what it has is there', () => {
    for (const stage of [shuttle.write, shuttle.launch, shuttle.presence])
      if ('absent' in stage) expect(stage.absent.length).toBeGreaterThan(20);
    if (!('absent' in shuttle.presence)) expect(shuttle.presence.holders(environment, nothing)).toEqual([]);
    if (!('absent' in shuttle.launch)) {
      const hostile = '$(touch x); "';
      const { argv } = shuttle.launch.resume(hostile, '/home/user/shop');
      expect(argv[0]).toBe(shuttle.launch.program);
      expect(argv).toContain(hostile);
    }
  });
});

/** Conversations that the real programs recorded, as they would be carried. */
const carried: { readonly from: string; readonly messages: readonly Message[] }[] = [];
beforeAll(async () => {
  for (const [harness, names] of [
    [
      'claude',
      [
        '01-print-basic',
        '02-print-tools',
        '03-tui-rewind-rename',
        '04-tui-compact-clear',
        '07-interrupts',
        '13-mcp-image-large',
        '15-old-2.0.77',
      ],
    ],
    [
      'codex',
      [
        '01-exec-basic',
        '02-exec-code-mode',
        '05-exec-errors-and-tools',
        '12-tui-compact-rewind',
        '14-mcp-tool',
        '24-old-cli-0.125.0',
      ],
    ],
  ] as const)
    for (const name of names) {
      await using home = new HomeLedger(path.join(fixtures, harness, name));
      await home.catchUp();
      for (const row of home.ledger.threads.newest(100)) {
        if (row.current_conversation === 0) continue;
        const context = await contextOf(home.ledger, row.session, row.current_conversation, row.current_entry ?? undefined);
        const messages = portableMessages(context);
        if (messages.length > 0) carried.push({ from: `${harness}/${name}/${row.title}`, messages });
      }
    }
}, 120_000);

describe.each(shuttles.filter((shuttle) => !('absent' in shuttle.write)).map((shuttle) => [shuttle.harness, shuttle] as const))(
  'written for %s',
  (_, shuttle) => {
    test('every conversation reads back whole: prompts and answers word for word, calls and results native or as quoted text', () => {
      expect(carried.length).toBeGreaterThan(20);
      for (const { from, messages } of carried) {
        const written = write(shuttle, messages);
        const back = readBack(shuttle, written, sidecars, databases);
        expect(back.problem, from).toBeUndefined();
        const text = JSON.stringify(back.drafts.map((draft) => draft.content));
        const baton = back.drafts.find((draft) => draft.kind === 'user');
        expect(JSON.stringify(baton?.content), from).toContain('THE BATON');
        for (const message of messages) {
          for (const block of message.content) {
            if (block.type === 'text')
              for (const line of sampled(block.text))
                expect(text, `${from}: ${line}`).toContain(JSON.stringify(line).slice(1, -1));
            if (block.type === 'toolCall') expect(bare(text), from).toContain(bare(firstWord(block.arguments)));
          }
        }
      }
    });

    test('nothing of a thinking block, a signature or a foreign id form goes out', () => {
      const written = write(shuttle, [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'SECRET-THOUGHT', signature: 'SIGNATURE' },
            { type: 'text', text: 'yes' },
            { type: 'toolCall', id: 'odd id/with:signs', name: 'Bash', arguments: { command: 'ls' } },
          ],
        },
        {
          role: 'toolResult',
          toolCallId: 'odd id/with:signs',
          toolName: 'Bash',
          content: [{ type: 'text', text: 'out' }],
          isError: false,
        },
      ]);
      const text = Buffer.from(written.bytes).toString('utf8');
      expect(text).not.toContain('SECRET-THOUGHT');
      expect(text).not.toContain('SIGNATURE');
      expect(text).not.toContain('odd id/with:signs');
    });
  },
);

function write(
  shuttle: Shuttle,
  messages: readonly Message[],
): ReturnType<Extract<Shuttle['write'], { write: unknown }>['write']> {
  if ('absent' in shuttle.write) throw new Error(shuttle.write.absent);
  const now = Date.UTC(2026, 10, 30);
  return shuttle.write.write(
    {
      messages,
      baton: 'THE BATON',
      title: 'A title',
      cwd: '/home/user/shop',
      nativeId: shuttle.write.newNativeId(now, Buffer.alloc(16, 7)),
      now,
    },
    environment,
    sidecars,
    databases,
  );
}

/** Lines of a text that a writer may not lose; very long texts are allowed to be shortened in the middle. */
function sampled(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3 && line.length < 300 && /^[\x20-\x7e]+$/u.test(line));
  return text.length > 4000 ? lines.slice(0, 2) : lines.slice(0, 40);
}

function firstWord(value: JsonObject): string {
  const found = Object.values(value).find((part) => typeof part === 'string' && part.trim() !== '');
  // In code mode the command stands inside JavaScript; a writer may carry the command itself.
  const inner = typeof found === 'string' ? /exec_command\(\{\s*cmd:\s*'([^']+)'/u.exec(found)?.[1] : undefined;
  if (inner !== undefined) return inner;
  const line = typeof found === 'string' ? (found.split('\n').find((part) => part.trim().length > 2) ?? '') : '';
  return /^[\x20-\x7e]*$/u.test(line) ? line.trim().slice(0, 60) : '';
}

/** Without what quoting and escaping add. */
function bare(text: string): string {
  return text.replace(/[\\"]/gu, '');
}

/** A file that the shuttle would take for a session, below its first root. */
const sessionFiles: Readonly<Partial<Record<HarnessId, string>>> = {
  claude: '-home-user-shop/00000000-0000-4000-8000-0000000000aa.jsonl',
  codex: '2026/11/30/rollout-2026-11-30T00-00-00-00000000-0000-4000-8000-0000000000aa.jsonl',
  gemini: 'shop/chats/session-2026-11-30T00-00-00000000.jsonl',
  antigravity: 'conversations/00000000-0000-4000-8000-0000000000aa.db#steps',
  pi: '--home-user-shop--/2026-11-30T00-00-00-000Z_00000000-0000-4000-8000-0000000000aa.jsonl',
  openclaw: 'main/sessions/00000000-0000-4000-8000-0000000000aa.jsonl',
};

function sessionPath(shuttle: Shuttle): string {
  return path.posix.join(shuttle.find.roots(environment)[0]?.path ?? '/', sessionFiles[shuttle.harness] ?? 'session.jsonl');
}

test('the fixtures are there', () => {
  expect(fs.readdirSync(fixtures).length).toBeGreaterThan(3);
});
