/** Every report of this folder is run by a test, or stands here with the reason why nothing in the product is concerned yet. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cases } from '../home-ledger.ts';

const configuration = 'Loom changes no configuration of a harness yet.';
const notYet: Readonly<Record<string, string>> = {
  '17-settings-jsonc': configuration,
  '18-settings-symlink': configuration,
  '19a-toml-comments': configuration,
  '57-claude-json-torn': configuration,
};

const folders = fs
  .readdirSync(cases, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Tests of the folders that run reports. A test names its case by the number at the beginning of the folder's name, or by the name. */
const sources = ['cases', 'baton', 'handover', 'editor', 'drive', 'world']
  .map((folder) => path.join(cases, '..', folder))
  .filter((folder) => fs.existsSync(folder))
  .flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
      .map((name) => fs.readFileSync(path.join(folder, name), 'utf8')),
  );

test.each(folders)('%s is run by a test, or concerns nothing yet', (folder) => {
  const number = folder.slice(0, folder.indexOf('-'));
  const runs = sources.some((text) => text.includes(`'${number}'`) || text.includes(folder));
  expect(runs, folder).toBe(!Object.hasOwn(notYet, folder));
});

test('the reasons are of reports that are there', () => {
  for (const folder of Object.keys(notYet)) expect(folders).toContain(folder);
});
