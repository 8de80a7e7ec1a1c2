import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';
import { commandNames } from './command-names.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly keybindings: readonly { readonly command: string }[];
    readonly viewsWelcome: readonly { readonly contents: string }[];
    readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
}
const root = path.resolve(import.meta.dirname, '..');
const { contributes } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const known = new Set<string>(commandNames.map((name) => `loom.${name}`));

test('package.json and the code have the same commands', () => {
  expect(contributes.commands.map((command) => command.command).toSorted()).toEqual([...known].toSorted());
});

test('menus, keys and welcome texts name only commands that exist', () => {
  const named = [
    ...Object.values(contributes.menus).flatMap((items) => items.map((item) => item.command)),
    ...contributes.keybindings.map((key) => key.command),
    ...contributes.viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/\(command:([\w.]+)\)/gu)].map((match) => match[1] ?? ''),
    ),
  ];
  expect(named.filter((command) => !known.has(command))).toEqual([]);
});

test('every setting that the code reads is in package.json, and the other way round', () => {
  const sources = fs
    .readdirSync(path.join(root, 'client'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => fs.readFileSync(path.join(root, 'client', file), 'utf8'))
    .join('\n');
  const read = [...sources.matchAll(/getConfiguration\('loom'\)\.get<\w+>\('(\w+)'\)/gu)].map(
    (match) => `loom.${match[1] ?? ''}`,
  );
  expect([...new Set(read)].toSorted()).toEqual(Object.keys(contributes.configuration.properties).toSorted());
});

test('every harness has an icon for light and for dark themes', () => {
  const media = fs.readdirSync(path.join(root, 'media'));
  for (const harness of ['claude', 'codex', 'pi', 'antigravity', 'gemini', 'openclaw'])
    expect(media).toEqual(expect.arrayContaining([`${harness}-light.svg`, `${harness}-dark.svg`]));
  expect(media).toContain(path.basename(contributes.viewsContainers.activitybar[0]?.icon ?? ''));
});
