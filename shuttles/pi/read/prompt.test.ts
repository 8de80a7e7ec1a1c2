import { expect, test } from 'vitest';
import { promptOf, type Prompt } from './prompt.ts';

function read(text: string, attribution?: string): readonly [string, string, Prompt['origin'], string] {
  const prompt = promptOf([{ type: 'text', text }], attribution);
  const said = (blocks: Prompt['words']): string => blocks.map((block) => (block.type === 'text' ? block.text : '')).join('|');
  return [said(prompt.injected), said(prompt.words), prompt.origin, prompt.typed];
}
const skill = '<skill name="release" location="/home/user/.pi/agent/skills/release/SKILL.md">\nHow to </skill> it.\n</skill>';

test('a skill that was put in front is the program’s, what follows is the person’s', () => {
  expect(read(`${skill}\n\nship it`)).toEqual([skill, 'ship it', 'typed', '/skill:release ship it']);
  expect(read(skill)).toEqual([skill, '', 'typed', '/skill:release']);
});

test('attached files are data in front of the words, one or several', () => {
  const files = '<file name="/home/user/a.txt">\nalpha\n</file>\n<file name="C:\\b.png"></file>\n';
  expect(read(`${files}what is it`)).toEqual([files, 'what is it', 'typed', 'what is it']);
  expect(promptOf([{ type: 'text', text: files }], undefined)).toMatchObject({ injectedTrust: 'tool', words: [] });
});

test('a prompt that speaks of such markup stays the person’s, whole', () => {
  for (const text of [
    'why does <skill name="x" location="y"> not work',
    '<skill name="x" location="y">\nnever closed',
    '<skill name="x" location="y">\na\n</skill> and on',
    '<file name="relative.txt">x</file>',
    '<file name="/never-closed">x',
    '# Hand-over from home',
  ])
    expect(read(text)).toEqual(['', text, 'typed', text]);
});

test('what omp’s agent said in the user role is no person’s, and Loom’s packet is Loom’s', () => {
  expect(read('carry on', 'agent').slice(2)).toEqual(['harness', '']);
  expect(read('carry on', 'user').slice(2)).toEqual(['typed', 'carry on']);
  expect(read('# Hand-over from Claude Code\n\nThis packet was compiled by Loom …').slice(2)).toEqual(['loom', '']);
});

test('images stay with the words', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AA' } as const;
  expect(promptOf([{ type: 'text', text: `${skill}\n\nsee` }, image], undefined).words).toEqual([
    { type: 'text', text: 'see' },
    image,
  ]);
  expect(promptOf([image], undefined)).toMatchObject({ words: [image], typed: '' });
});
