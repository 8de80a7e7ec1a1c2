import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { HarnessStatus } from '../../protocol/views.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { environmentOf } from '../environment.ts';
import { harnessStatus } from '../harnesses.ts';
import { harnessChecks } from './doctor-harnesses.ts';

function homeWith(...folders: readonly string[]): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-doctor-'));
  for (const folder of folders) fs.mkdirSync(path.join(home, folder), { recursive: true });
  return home;
}
function checksOf(home: string, bin = '', over: Partial<HarnessStatus> = {}): ReturnType<typeof harnessChecks> {
  const environment = environmentOf(home, {}, 'linux');
  const statuses = shuttles.map((shuttle) => ({ ...harnessStatus(shuttle, environment, bin), verified: [], ...over }));
  return harnessChecks(shuttles, environment, statuses);
}

test('a harness whose sessions are read is not told to be missing, whether or not its program can be started', () => {
  const home = homeWith('.openclaw/agents/main/sessions', '.codex/sessions', '.claude/projects', 'bin');
  fs.writeFileSync(path.join(home, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 });
  const checks = new Map(checksOf(home, path.join(home, 'bin')).map((check) => [check.id, check]));
  expect(checks.get('openclaw')?.detail).toContain(`sessions in ${path.join(home, '.openclaw')}`);
  expect(checks.get('openclaw')?.detail).toContain('reading needs none');
  expect(checks.get('openclaw')?.detail).toContain('gateway');
  expect(checks.get('codex')?.detail).toMatch(/sessions in .*; its program codex is not on PATH: reading needs none/u);
  expect(checks.get('claude')?.detail).toBe(
    `Claude Code: sessions in ${path.join(home, '.claude/projects')}; program ${path.join(home, 'bin/claude')}; takes threads as native sessions and by a prompt that names the baton; not verified`,
  );
  expect(checks.get('gemini')?.detail).toMatch(/no sessions \(looked in .*\); its program gemini is not on PATH$/u);
  expect([...checks.values()].every(({ ok }) => ok)).toBe(true);
  fs.rmSync(home, { recursive: true });
});

test('a native session that is only written when it is asked for is told as such', () => {
  const home = homeWith('.gemini/antigravity-cli/conversations', 'bin');
  fs.writeFileSync(path.join(home, 'bin/agy'), '#!/bin/sh\n', { mode: 0o755 });
  const detail = (bin: string): string | undefined => checksOf(home, bin).find(({ id }) => id === 'antigravity')?.detail;
  expect(detail(path.join(home, 'bin'))).toMatch(
    /; takes threads by a prompt that names the baton and as native sessions when that is asked for \(--native\); not verified$/u,
  );
  // Which version would have to take it is not known.
  expect(detail('')).toContain('takes no threads');
  fs.rmSync(home, { recursive: true });
});

test('of a program its version is told, and with which version what it takes was verified', () => {
  const home = homeWith('.claude/projects', 'bin');
  fs.writeFileSync(path.join(home, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 });
  const detail = (verified: HarnessStatus['verified']): string | undefined =>
    checksOf(home, path.join(home, 'bin'), { version: '2.1.332', verified }).find(({ id }) => id === 'claude')?.detail;
  const codex = { from: 'codex', version: '2.1.332' } as const;
  expect(detail([codex, { from: 'pi', version: '2.1.332' }])).toMatch(
    /bin\/claude 2\.1\.332; .*; verified with this version, from Codex, pi$/u,
  );
  expect(detail([{ ...codex, version: '2.1.100' }])).toMatch(/; verified with 2\.1\.100, from Codex$/u);
  fs.rmSync(home, { recursive: true });
});

test('a machine without any harness is told so, with what to do', () => {
  const home = homeWith();
  const [last] = checksOf(home).slice(-1);
  expect(last).toMatchObject({ id: 'harnesses', ok: false });
  expect(last?.fix).not.toBe('');
  fs.rmSync(home, { recursive: true });
});
