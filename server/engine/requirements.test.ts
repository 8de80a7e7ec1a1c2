/**
 * Every requirement is cited by a test or a benchmark line, and every citation names a requirement. Citations are read from the
 * syntax tree: titles of `test` and `it`, of their variants (`test.each`) and of wrappers called `test...`; a test that is skipped
 * proves nothing and does not count. Planted violations prove that the check bites.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseSync } from 'vite';
import { requirements } from './requirements.ts';

interface Citation {
  readonly id: string;
  readonly where: string;
}
type Node = Readonly<Record<string, unknown>>;

const root = path.resolve(import.meta.dirname, '../..');

function sources(folder: string, ending: string): readonly string[] {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? sources(`${folder}/${entry.name}`, ending)
        : entry.name.endsWith(ending)
          ? [`${folder}/${entry.name}`]
          : [],
    );
}

const citations = [
  ...['server/engine', 'test'].flatMap((folder) => sources(folder, '.test.ts')),
  ...sources('test/bench', '.ts').filter((file) => !file.endsWith('.test.ts')),
].flatMap((file) => citationsOf(file, fs.readFileSync(path.join(root, file), 'utf8')));

test('every citation names a requirement', () => {
  expect(unknown(citations)).toEqual([]);
});

test('every requirement is cited', () => {
  const open = uncited(citations);
  expect(open, `${open.length} of ${Object.keys(requirements).length} are proven by no test:\n${open.join('\n')}`).toEqual([]);
});

test('an id is section and number, its requirement one sentence', () => {
  for (const [id, sentence] of Object.entries(requirements)) {
    expect(id).toMatch(/^\d+(?:\.\d+)?-[1-9]\d*$/u);
    expect(sentence, id).toMatch(/^[A-Z].*[^.]\.$/u);
  }
  expect(new Set(Object.values(requirements)).size).toBe(Object.keys(requirements).length);
});

test.each([
  ['a title', "test('a fork is a fork [2.4-1]', () => {});"],
  ['a title of it', "it('a fork is a fork [2.4-1]', () => {});"],
  ['a title after options of types', "test.each<[string, number]>([['x [2.4-2]', 1]])('%s is a fork [2.4-1]', () => {});"],
  ['a title of a tagged table', "test.each`a | b\n${1} | ${2}`('a fork [2.4-1]', () => {});"],
  ['a title of a test that fails for now', "test.fails('a fork is a fork [2.4-1]', () => {});"],
  ['a title that is a template', 'for (const name of names) test(`${name}: a fork [2.4-1]`, { timeout: 9 }, () => {});'],
  ['a title given to a wrapper', "testOnEach('a fork is a fork [2.4-1]', (backend) => {});"],
  ['a benchmark line', "const lines = [{ name: 'deep forks', value: 1, cites: ['2.4-1'] }];"],
])('%s cites', (_name, text) => {
  expect(citationsOf('x.test.ts', text)).toEqual([{ id: '2.4-1', where: 'x.test.ts' }]);
});

test.each([
  ['a comment', "// test('a fork [2.4-1]', () => {});"],
  ['a string elsewhere', "const name = 'a fork [2.4-1]'; expect(name).toBe('x [2.4-1]'); describe('x [2.4-1]', () => {});"],
  ['a skipped test', "test.skip('a fork [2.4-1]', () => {});"],
  ['a test that is yet to be written', "test.todo('a fork [2.4-1]');"],
  ['a skipped table', "test.skip.each([1])('a fork [2.4-1]', () => {});"],
  ['a name that only begins alike', "items('a fork [2.4-1]'); testify('a fork [2.4-1]');"],
  ['an index', "test('list[0] and [1] are read [ 2.4-1 ]', () => {});"],
])('%s does not cite', (_name, text) => {
  expect(citationsOf('x.test.ts', text)).toEqual([]);
});

test('planted violations are found', () => {
  const cited = Object.keys(requirements).map((id) => ({ id, where: 'x.test.ts' }));
  expect([unknown(cited), uncited(cited)]).toEqual([[], []]);
  expect(uncited(cited.filter(({ id }) => id !== '5.4-2'))).toEqual([`5.4-2: ${requirements['5.4-2']}`]);
  const planted = citationsOf('x.test.ts', "test('two [2.4-1] [99.9-1] [2.4-999] [2.4] [2.4-1, 2.4-2]', () => {});");
  expect(unknown(planted)).toEqual([
    '[99.9-1] in x.test.ts',
    '[2.4-999] in x.test.ts',
    '[2.4] in x.test.ts',
    '[2.4-1, 2.4-2] in x.test.ts',
  ]);
  expect(unknown(citationsOf('bench.ts', "const line = { cites: ['constructor', '10.3-1'] };"))).toEqual([
    '[constructor] in bench.ts',
  ]);
});

function unknown(found: readonly Citation[]): readonly string[] {
  return found.filter(({ id }) => !Object.hasOwn(requirements, id)).map(({ id, where }) => `[${id}] in ${where}`);
}

function uncited(found: readonly Citation[]): readonly string[] {
  const ids = new Set(found.map(({ id }) => id));
  return Object.entries(requirements).flatMap(([id, sentence]) => (ids.has(id) ? [] : [`${id}: ${sentence}`]));
}

/** What nearly is a citation counts as one, so that a slip of the pen is an unknown id and not silence. */
function citationsOf(file: string, text: string): readonly Citation[] {
  const found: Citation[] = [];
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} is not read: ${errors[0]?.message}`);
  visit(program as unknown as Node, (node) => {
    const title = titleOf(node) ?? '';
    for (const [, id] of title.matchAll(/\[(\d+\.\d[^\]]*|\d+-\d+)\]/gu)) found.push({ id: id ?? '', where: file });
    if (node['type'] === 'Property' && nameOf(node['key']) === 'cites' && isNode(node['value']))
      visit(node['value'], (value) => {
        if (typeof value['value'] === 'string') found.push({ id: value['value'], where: file });
      });
  });
  return found;
}

/** First argument of a call of `test`, `it` or a variant of them, as far as it is literal text. */
function titleOf(node: Node): string | undefined {
  if (node['type'] !== 'CallExpression' || !Array.isArray(node['arguments'])) return undefined;
  const called = namesOf(node['callee']);
  if (!/^(?:test|it)(?:[A-Z]\w*)?$/u.test(called[0] ?? '')) return undefined;
  if (called.includes('skip') || called.includes('todo')) return undefined;
  const [title] = node['arguments'] as readonly unknown[];
  if (!isNode(title)) return undefined;
  if (typeof title['value'] === 'string') return title['value'];
  if (title['type'] !== 'TemplateLiteral' || !Array.isArray(title['quasis'])) return undefined;
  return (title['quasis'] as readonly Node[]).map(({ value }) => (isNode(value) ? String(value['cooked']) : '')).join(' ');
}

/** `test.skip.each(rows)` is test, skip, each. */
function namesOf(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  switch (callee['type']) {
    case 'Identifier':
      return [nameOf(callee)];
    case 'MemberExpression':
      return [...namesOf(callee['object']), nameOf(callee['property'])];
    case 'CallExpression':
      return namesOf(callee['callee']);
    case 'TaggedTemplateExpression':
      return namesOf(callee['tag']);
    default:
      return [];
  }
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : '';
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as readonly unknown[]) : [value]) if (isNode(child)) visit(child, look);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
