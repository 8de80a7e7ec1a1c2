import { expect, test } from 'vitest';
import { openclawLaunch } from './launch.ts';
import { openclawShuttle } from './shuttle.ts';

const { begin } = openclawLaunch;
const begun = (prompt: string, cwd = '/home/user/shop'): readonly string[] =>
  'absent' in begin ? [] : begin({ prompt, cwd, reads: '/home/user/.loom/batons' }).argv;

test('a session that is begun has a key of its own, which no chat and no main session has', () => {
  const prompt = '[loom:00aa11bb22cc33dd44ee55ff] Read this file first: /home/user/.loom/batons/t1.md\nAll of it.';
  const argv = begun(prompt);
  expect(argv).toEqual(['openclaw', 'tui', '--session', argv[3], '--message', prompt]);
  expect(argv[3]).toMatch(/^loom-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/u);
  expect(begun(prompt)[3]).toBe(argv[3]);
  expect(begun(`${prompt} `)[3]).not.toBe(argv[3]);
});

test('nothing is delivered to a chat and no gateway is chosen for the person', () => {
  for (const option of ['--deliver', '--url', '--token', '--local']) expect(begun('[loom:1] Read /a.md')).not.toContain(option);
});

test('a session is resumed by its id in the folder of its thread', () => {
  const id = '01a2ee00-0000-7000-8000-0000000000aa';
  expect(openclawLaunch.resume(id, '/home/user/shop')).toEqual({
    argv: ['openclaw', 'resume', id],
    cwd: '/home/user/shop',
    env: {},
  });
});

test('the shuttle begins sessions and says why it writes none', () => {
  expect(openclawShuttle.launch).toBe(openclawLaunch);
  expect('absent' in openclawShuttle.write && openclawShuttle.write.absent).toMatch(/gateway/u);
});
