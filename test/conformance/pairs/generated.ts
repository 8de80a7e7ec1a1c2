/** Conversations that no fixture has: odd pairs of calls and results, pictures, empty and huge texts, every trap of Unicode. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../shuttles/contract/json.ts';
import type { AssistantBlock, Message, UserBlock } from '../../../shuttles/contract/message.ts';

const traps = [
  '\uFEFFwith a mark',
  'nul \0 inside',
  'half \uD83D of a sign',
  'line\u2028separator\u2029s',
  'e\u0301 and \u00e9',
  'right \u202Eot tfel\u202C',
  'zero\u200Bwidth\u2060 joiner \u200D',
  '\u001b[31mred\u001b[0m',
  '\r\nreturns\rand\n\nfeeds',
  '日本語のテキスト 한국어 العربية',
  '👩‍👩‍👧‍👦 family',
  '"}\n{"type":"user"}',
  '```\nfence\n```` more',
  '> quoted\n> lines',
  'words with <system-reminder>one</system-reminder> inside',
  'closing </environment_context> inside',
  '--flag -x $(touch /tmp/x) `id`',
  '__proto__',
  ' '.repeat(5),
  '',
];
const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }) },
  { weight: 4, arbitrary: fc.constantFrom(...traps) },
  { weight: 1, arbitrary: fc.nat({ max: 3000 }).map((n) => `start ${'long output line\n'.repeat(n)} end`) },
);
/** One red dot. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const image = fc.constantFrom<UserBlock>(
  { type: 'image', mimeType: 'image/png', data: dot },
  { type: 'image', mimeType: 'image/x-odd', data: 'AAAA' },
  { type: 'image', mimeType: 'image/png', url: 'https://example.org/dot.png' },
);
const userBlocks = fc.array(
  fc.oneof({ weight: 8, arbitrary: text.map((value): UserBlock => ({ type: 'text', text: value })) }, image),
  {
    minLength: 1,
    maxLength: 3,
  },
);

const calls = fc.oneof(
  text.map((command) => ({ name: 'Bash', arguments: { command, description: 'd' } })),
  text.map((cmd) => ({ name: 'exec_command', arguments: { cmd } })),
  text.map((command) => ({ name: 'shell', arguments: { command: ['bash', '-lc', command] } })),
  text.map((command) => ({ name: 'run_shell_command', arguments: { command } })),
  text.map((command) => ({ name: 'bash', arguments: { command } })),
  fc
    .tuple(text, text)
    .map(([path, content]) => ({ name: 'Write', arguments: { file_path: `/home/user/shop/${path}`, content } })),
  fc
    .tuple(text, text)
    .map(([a, b]) => ({ name: 'Edit', arguments: { file_path: '/home/user/shop/a.ts', old_string: a, new_string: b } })),
  fc.constant({ name: 'Read', arguments: { file_path: '/home/user/shop/a.ts', offset: 3 } }),
  text.map((input) => ({ name: 'mcp__odd server__tool.name', arguments: { input, nested: { list: [1, true, null, input] } } })),
  fc.constant({ name: '', arguments: {} }),
  text.map((name) => ({ name, arguments: { ['__proto__x']: 'y' } })),
) satisfies fc.Arbitrary<{ readonly name: string; readonly arguments: JsonObject }>;

const ids = fc.constantFrom('toolu_01', 'call_abc|fc_x', 'odd id/with:signs', 'x'.repeat(90), 'é', 'call_1');

/** A turn: a prompt, answers, and calls whose results come at once, late, doubled, without a call, or never. */
const turn = fc
  .record({
    prompt: userBlocks,
    steps: fc.array(
      fc.record({
        said: fc.array(text, { maxLength: 2 }),
        thought: fc.boolean(),
        made: fc.array(fc.record({ call: calls, id: ids, result: fc.option(userBlocks), isError: fc.boolean() }), {
          maxLength: 3,
        }),
        orphan: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ prompt, steps }): readonly Message[] => [
    { role: 'user', content: prompt },
    ...steps.flatMap(({ said, thought, made, orphan }): readonly Message[] => {
      const unique = made.filter(({ id }, index) => made.findIndex((other) => other.id === id) === index);
      const content: AssistantBlock[] = [
        ...(thought ? [{ type: 'thinking', thinking: 'HIDDEN THOUGHT', signature: 'HIDDEN SIGNATURE' } as const] : []),
        ...said.map((value) => ({ type: 'text', text: value }) as const),
        ...unique.map(({ call, id }) => ({ type: 'toolCall', id, ...call }) as const),
      ];
      const results = unique.flatMap(({ call, id, result, isError }): readonly Message[] =>
        result === null ? [] : [{ role: 'toolResult', toolCallId: id, toolName: call.name, content: result, isError }],
      );
      const stray: readonly Message[] = orphan
        ? [
            {
              role: 'toolResult',
              toolCallId: 'nobody',
              toolName: 'Bash',
              content: [{ type: 'text', text: 'stray output' }],
              isError: false,
            },
          ]
        : [];
      return [...(content.length === 0 ? [] : [{ role: 'assistant', content } as const]), ...results, ...stray];
    }),
  ]);

export const conversations = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => numbered(turns.flat()));

/** No two calls say the same, so that each can be told from the others wherever it stands. */
function numbered(messages: readonly Message[]): readonly Message[] {
  let number = 0;
  const marked = (value: JsonValue | undefined): JsonValue | undefined =>
    typeof value === 'string' && value.trim() !== '' ? `${value} #${number}` : value;
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((block) => {
      if (block.type !== 'toolCall') return block;
      number++;
      const input = Object.fromEntries(Object.entries(block.arguments).map(([name, value]) => [name, marked(value)]));
      return { ...block, arguments: input };
    });
    return { ...message, content };
  });
}
