import { expect, test } from 'vitest';
import type { Message } from '../../shuttles/contract/message.ts';
import { disclose } from './disclosure.ts';
import { maskMessages } from './masked-messages.ts';

const messages: readonly Message[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'log in as app with blue7horse, see the picture' },
      { type: 'image', mimeType: 'image/png', data: 'c2stYW50LWFwaTAzLUZBS0Vm' },
    ],
  },
  {
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: 'I will.' },
      {
        type: 'toolCall',
        id: 'token=abcd1234efgh5678',
        name: 'Write',
        arguments: { file_path: '/home/user/shop/.env', content: 'DB_PASSWORD=blue7horse\nPORT=8080' },
      },
      {
        type: 'toolCall',
        id: 'c2',
        name: 'login',
        arguments: { user: 'app', password: 'quote"and\\slash9', nested: [{ apiKey: 'zz11yy22' }], max_tokens: 4096 },
      },
    ],
  },
  {
    role: 'toolResult',
    toolCallId: 'token=abcd1234efgh5678',
    toolName: 'Write',
    content: [{ type: 'text', text: 'wrote DB_PASSWORD=blue7horse' }],
    isError: false,
    details: { env: { SECRET_KEY: 'zz11yy22' } },
  },
];

test('a secret is masked in every place, also before the place that names it', () => {
  const { messages: out, masked } = maskMessages(messages, 'salt');
  const json = JSON.stringify(out);
  for (const secret of ['blue7horse', 'quote', 'slash9', 'zz11yy22']) expect(json).not.toContain(secret);
  expect(json).toMatch(/log in as app with «masked:password:[0-9a-f]{4}», see/);
  expect(masked).toBe(6);
});

test('ids that pair calls with results, image data and plain values stay', () => {
  const { messages: out } = maskMessages(messages, 'salt');
  expect(out[0]?.content[1]).toEqual(messages[0]?.content[1]);
  expect(out[1]?.content[1]).toMatchObject({ id: 'token=abcd1234efgh5678' });
  expect(out[1]?.content[2]).toMatchObject({ arguments: { user: 'app', max_tokens: 4096 } });
  expect(out[2]).toMatchObject({ toolCallId: 'token=abcd1234efgh5678' });
});

test('masking a masked history changes nothing', () => {
  const once = maskMessages(messages, 'salt').messages;
  expect(maskMessages(once, 'salt')).toEqual({ messages: once, masked: 0 });
});

test('a hostile key does not touch the object it stands in', () => {
  const bad: Message = {
    role: 'assistant',
    content: [
      { type: 'toolCall', id: 'a', name: 'x', arguments: JSON.parse('{"__proto__":{"a":1},"b":2}') as Record<string, string> },
    ],
  };
  const { messages: out } = maskMessages([bad], 'salt');
  expect(JSON.stringify(out[0])).toBe(JSON.stringify(bad));
});

test('the disclosure counts what is really sent', () => {
  const masked = maskMessages(messages, 'salt').messages;
  const packet = '# x\n```quoted tool output\nAPI_KEY=«masked:secret:ab12»\n```\n````quoted a web page\n```quoted no\n````\n';
  const disclosure = disclose(masked, packet, 'claude', 'codex');
  expect(disclosure).toMatchObject({
    from: 'claude',
    to: 'codex',
    messages: 3,
    masked: 7,
    quoted: 2,
    files: ['/home/user/shop/.env'],
  });
  expect(disclosure.bytes).toBe(
    Buffer.byteLength(packet) + masked.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0),
  );
});

test('a secret inside the name of a tool is masked, and plain names of any length stay', () => {
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const named = (name: string): string => {
    const [message] = maskMessages(
      [{ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name, arguments: {} }] }],
      'salt',
    ).messages;
    const block = message?.role === 'assistant' ? message.content[0] : undefined;
    return block?.type === 'toolCall' ? block.name : '';
  };
  expect(named(`mcp__${token}`)).not.toContain(token);
  expect(named(`mcp__tracker__${token}__find`)).not.toContain(token);
  for (const plain of ['Bash', 'mcp__tracker__find_issues_by_assignee_and_label', 'mcp__claude_ai_Google_Drive__search_files'])
    expect(named(plain)).toBe(plain);
});
