import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { shuttles } from '../../../shuttles/registry.ts';
import { environmentOf } from '../environment.ts';
import { harnessChecks } from './doctor-harnesses.ts';

function homeWith(...folders: readonly string[]): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-doctor-'));
  for (const folder of folders) fs.mkdirSync(path.join(home, folder), { recursive: true });
  return home;
}
const checksOf = (home: string, bin = ''): ReturnType<typeof harnessChecks> =>
  harnessChecks(shuttles, environmentOf(home, {}, 'linux'), bin);

test('a harness whose sessions are read is not told to be missing, whether or not its program can be started', () => {
  const home = homeWith('.openclaw/agents/main/sessions', '.codex/sessions', '.claude/projects', 'bin');
  fs.writeFileSync(path.join(home, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 });
  const checks = new Map(checksOf(home, path.join(home, 'bin')).map((check) => [check.id, check]));
  expect(checks.get('openclaw')?.detail).toContain(`sessions in ${path.join(home, '.openclaw')}`);
  expect(checks.get('openclaw')?.detail).not.toContain('PATH');
  expect(checks.get('openclaw')?.detail).toContain('gateway');
  expect(checks.get('codex')?.detail).toMatch(/sessions in .*; its program codex is not on PATH: reading needs none/u);
  expect(checks.get('claude')?.detail).toBe(
    `Claude Code: sessions in ${path.join(home, '.claude/projects')}; program ${path.join(home, 'bin/claude')}`,
  );
  expect(checks.get('gemini')?.detail).toMatch(/no sessions \(looked in .*\); its program gemini is not on PATH$/u);
  expect([...checks.values()].every(({ ok }) => ok)).toBe(true);
  fs.rmSync(home, { recursive: true });
});

test('a machine without any harness is told so, with what to do', () => {
  const home = homeWith();
  const [last] = checksOf(home).slice(-1);
  expect(last).toMatchObject({ id: 'harnesses', ok: false });
  expect(last?.fix).not.toBe('');
  fs.rmSync(home, { recursive: true });
});
