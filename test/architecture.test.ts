/** The layer table, executed over the sources; planted violations prove that it bites. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isPath, violation } from './layers.ts';
import type { Import } from './layers.ts';

const root = path.resolve(import.meta.dirname, '..');

function sources(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? sources(`${folder}/${entry.name}`) : entry.name.endsWith('.ts') ? [`${folder}/${entry.name}`] : [],
    );
}

/** Imports of a file, as written; comments and strings that only look like imports do not count at the start of a line. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean): void => {
    const to = specifier.startsWith('.') ? path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)) : specifier;
    found.push({ from: file, to, typeOnly });
  };
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gmu)) {
    const names = /\{([^}]*)\}/u.exec(match[0])?.[1];
    const allTypes =
      names !== undefined && names.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
    add(match[2] ?? '', match[1] !== undefined || allTypes);
  }
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/gu)) add(match[1] ?? '', false);
  return found;
}

const files = ['shuttles', 'server', 'client'].flatMap(sources).filter((file) => !file.endsWith('.test.ts'));
const imports = files.flatMap((file) => importsOf(file, fs.readFileSync(path.join(root, file), 'utf8')));

test('every import goes in a direction that the table allows', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(imports.flatMap((found) => violation(found) ?? [])).toEqual([]);
});

test('there are no value-import cycles anywhere', () => {
  const graph = new Map<string, string[]>();
  for (const { from, to, typeOnly } of imports) if (!typeOnly && isPath(to)) graph.set(from, [...(graph.get(from) ?? []), to]);
  expect(cyclesOf(graph)).toEqual([]);
});

test('planted violations are found', () => {
  const planted: readonly (readonly [string, string])[] = [
    ['server/engine/x.ts', "import { a } from '../ledger/ledger.ts';"],
    ['server/engine/x.ts', "import type { HarnessId } from '../../shuttles/contract/harness.ts';"],
    ['server/ledger/x.ts', "import * as vscode from 'vscode';"],
    ['shuttles/claude/x.ts', "import { b } from '../codex/shuttle.ts';"],
    ['shuttles/contract/x.ts', "import { c } from '../kit/fields.ts';"],
    ['client/x.ts', "import { Ledger } from '../server/ledger/ledger.ts';"],
    ['client/x.ts', "const later = await import('../server/main/service.ts');"],
    ['server/protocol/x.ts', "export { d } from '../engine/view.ts';"],
    ['server/baton/x.ts', "import left from 'left-pad';"],
    ['elsewhere/x.ts', "import '../server/main/loom.ts';"],
  ];
  for (const [file, text] of planted)
    expect(importsOf(file, text).map(violation), `${file}: ${text}`).toEqual([expect.any(String)]);
  const cycle = new Map([
    ['server/a.ts', ['server/b.ts']],
    ['server/b.ts', ['server/c.ts']],
    ['server/c.ts', ['server/a.ts']],
  ]);
  expect(cyclesOf(cycle)).toHaveLength(1);
});

test('no source is long enough to hold two concepts without being looked at', () => {
  const lengths = files
    .map((file) => fs.readFileSync(path.join(root, file), 'utf8').split('\n').length)
    .toSorted((a, b) => a - b);
  const at = (share: number): number => lengths[Math.floor(lengths.length * share)] ?? 0;
  expect(at(0.5)).toBeLessThanOrEqual(120);
  expect(at(0.9)).toBeLessThanOrEqual(260);
});

function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const at = trail.indexOf(node);
    if (at >= 0) {
      cycles.push([...trail.slice(at), node]);
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
