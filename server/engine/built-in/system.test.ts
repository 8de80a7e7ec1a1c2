/** What a model was told, what changed since, and how both are said (engine specification 2.1, 8.2). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tool } from './messages.ts';
import { projectSystem, systemChange, toldBy } from './system.ts';
import type { Instructions, Section, SystemContent } from './system.ts';

const tool = (name: string, description = name, parameters: Tool['parameters'] = { type: 'object' }): Tool => ({
  name,
  description,
  parameters,
});
const role: Section = { key: 'role', text: 'You help.' };
const cwd: Section = { key: 'cwd', text: '/home/user/shop' };
const plan: Section = { key: 'plan_mode', text: 'Only plan.' };
const told: Instructions = { sections: [role, cwd], tools: [tool('read'), tool('write')] };

function lines(content: SystemContent): readonly string[] {
  return projectSystem(content).flatMap(({ content: blocks }) => blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])));
}

test('nothing told yet is a baseline with everything, and what was told again is no change [2.1-24]', () => {
  const baseline = systemChange(undefined, told);
  expect(baseline).toEqual({ baseline: true, sections: told.sections, toolsAdded: told.tools });
  expect(toldBy(baseline === undefined ? [] : [baseline])).toEqual(told);
  expect(systemChange(told, told)).toBeUndefined();
  expect(systemChange(told, { ...told, tools: told.tools.toReversed() })).toBeUndefined();
});

test('without a baseline nothing was told, whatever deltas there are [2.1-24]', () => {
  expect(toldBy([])).toBeUndefined();
  expect(toldBy([{ sections: [plan] }])).toBeUndefined();
});

test('deltas before the newest baseline count for nothing, those behind it do [2.1-24]', () => {
  const contents: readonly SystemContent[] = [
    { baseline: true, sections: [cwd], toolsAdded: [tool('old')] },
    { sections: [plan], toolsAdded: [tool('older')] },
    { baseline: true, sections: [role], toolsAdded: [tool('read')] },
    { sections: [cwd], toolsRemoved: [tool('read')], toolsAdded: [tool('write')] },
  ];
  expect(toldBy(contents)).toEqual({ sections: [role, cwd], tools: [tool('write')] });
});

test('a delta has the sections that are new, changed or gone, and nothing else [2.1-25]', () => {
  const moved = { key: 'cwd', text: '/home/user/bakery' };
  expect(systemChange(told, { ...told, sections: [role, moved, plan] })).toEqual({ sections: [moved, plan] });
  expect(systemChange(told, { ...told, sections: [role] })).toEqual({ sections: [{ key: 'cwd', text: '' }] });
});

test('a section without text is as one that is not there [2.1-25]', () => {
  expect(systemChange(told, { ...told, sections: [role, cwd, { key: 'plan_mode', text: '' }] })).toBeUndefined();
  expect(systemChange(undefined, { sections: [{ key: 'x', text: '' }], tools: [] })).toEqual({
    baseline: true,
    sections: [],
    toolsAdded: [],
  });
});

test('another order of sections is a change, which sends no section again [2.1-25]', () => {
  const delta = systemChange(told, { ...told, sections: [cwd, role] });
  expect(delta).toEqual({ order: ['cwd', 'role'] });
  expect(systemChange(told, { ...told, sections: [role, plan, cwd] })).toEqual({
    sections: [plan],
    order: ['role', 'plan_mode', 'cwd'],
  });
});

test('a changed description or schema is a change, with the whole definitions of before and after [2.1-25]', () => {
  for (const changed of [tool('read', 'Reads a file.'), tool('read', 'read', { type: 'object', required: ['path'] })])
    expect(systemChange(told, { ...told, tools: [changed, tool('write')] })).toEqual({
      toolsAdded: [changed],
      toolsRemoved: [tool('read')],
    });
  const reordered = tool('read', 'read', { type: 'object', a: undefined });
  expect(systemChange(told, { ...told, tools: [reordered, tool('write')] })).toBeUndefined();
});

test('a baseline says its sections in stored order, a delta what now applies, each with its tools [2.1-18]', () => {
  expect(projectSystem({ baseline: true, sections: [cwd, role], toolsAdded: [tool('read')] })).toEqual([
    {
      role: 'system',
      instructions: 'baseline',
      content: [
        { type: 'text', text: '/home/user/shop' },
        { type: 'text', text: 'You help.' },
      ],
      toolsAdded: [tool('read')],
    },
  ]);
  const delta: SystemContent = {
    sections: [plan, { key: 'cwd', text: '' }],
    order: ['plan_mode', 'role'],
    toolsAdded: [tool('write', 'Writes.'), tool('grep')],
    toolsRemoved: [tool('write'), tool('read')],
  };
  expect(projectSystem(delta)).toMatchObject([
    { instructions: 'delta', toolsAdded: delta.toolsAdded, toolsRemoved: delta.toolsRemoved },
  ]);
  expect(lines(delta)).toEqual([
    'The section plan_mode of the instructions now reads:\nOnly plan.',
    'The section cwd of the instructions no longer applies.',
    'The sections of the instructions now stand in this order: plan_mode, role.',
    'Tools that you now have: grep.',
    'Tools whose definition changed: write.',
    'Tools that you no longer have: read.',
  ]);
});

test('keys may be any text', () => {
  const odd = ['__proto__', 'constructor', '', 'a b'].map((key) => ({ key, text: `text of ${key}` }));
  const baseline = systemChange(undefined, { sections: odd, tools: [tool('__proto__')] });
  expect(toldBy(baseline === undefined ? [] : [baseline])).toEqual({ sections: odd, tools: [tool('__proto__')] });
});

const section = fc.record<Section>({
  key: fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
  text: fc.constantFrom('', 'one', 'two'),
});
const anyTool = fc.record<Tool>({
  name: fc.constantFrom('read', 'write', 'grep', 'toString'),
  description: fc.constantFrom('x', 'y'),
  parameters: fc.constantFrom({ type: 'object' }, { type: 'object', required: ['path'] }),
});
const instructions = fc.record<Instructions>({
  sections: fc.uniqueArray(section, { selector: ({ key }) => key, maxLength: 5 }),
  tools: fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 4 }),
});

test('whatever is wanted in turn, baseline and deltas fold to just that, and then there is no change [2.1-24] [2.1-25]', () => {
  fc.assert(
    fc.property(fc.array(instructions, { minLength: 1, maxLength: 8 }), (wanted) => {
      const contents: SystemContent[] = [];
      for (const one of wanted) {
        const change = systemChange(toldBy(contents), one);
        if (change !== undefined) contents.push(change);
        const now = toldBy(contents);
        expect(now?.sections).toEqual(one.sections.filter(({ text }) => text !== ''));
        expect(new Set(now?.tools)).toEqual(new Set(one.tools));
        expect(systemChange(now, one)).toBeUndefined();
      }
      expect(contents.filter(({ baseline }) => baseline === true)).toHaveLength(1);
      expect(JSON.parse(JSON.stringify(contents))).toEqual(contents);
    }),
    { seed: 5, numRuns: 400 },
  );
});
