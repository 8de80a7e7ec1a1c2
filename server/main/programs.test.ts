import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shuttles } from '../../shuttles/registry.ts';
import { askProgram } from './ask-program.ts';
import type { AskProgram } from './ask-program.ts';
import { environmentOf } from './environment.ts';
import { Programs, versionIn } from './programs.ts';

function binWith(programs: Readonly<Record<string, string>>): { readonly bin: string; readonly home: string } {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-programs-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) fs.writeFileSync(path.join(bin, name), script, { mode: 0o755 });
  return { bin, home };
}

function programsOf({ bin, home }: { readonly bin: string; readonly home: string }, ask?: AskProgram): Programs {
  const environment = environmentOf(home, {}, 'linux');
  return new Programs({
    shuttles,
    environment,
    path: bin,
    ask: ask ?? askProgram(environment, { PATH: `${bin}:/usr/bin:/bin` }),
  });
}
const versionOf = (programs: Programs, harness: string) => programs.statuses().find((one) => one.harness === harness)?.version;

test('a program is asked for its version, and a list does not wait for that', async () => {
  const programs = programsOf(
    binWith({ claude: '#!/bin/sh\necho "2.1.332 (Claude Code)"\n', codex: '#!/bin/sh\necho codex-cli 0.171.0\n' }),
  );
  expect(versionOf(programs, 'claude')).toBeNull();
  expect(await programs.askAll()).toBe(true);
  expect(versionOf(programs, 'claude')).toBe('2.1.332');
  expect(versionOf(programs, 'codex')).toBe('0.171.0');
  expect(versionOf(programs, 'pi')).toBeNull();
  expect(await programs.askAll()).toBe(false);
});

test('it is asked once for as long as its file stays the same, by however many', async () => {
  const place = binWith({ claude: '' });
  const asked: string[] = [];
  const programs = programsOf(place, (file, args) => {
    asked.push(`${path.basename(file)} ${args.join(' ')}`);
    return Promise.resolve({ status: 0, output: `2.1.${asked.length}` });
  });
  await Promise.all([programs.know('claude'), programs.know('claude'), programs.askAll()]);
  await programs.know('claude');
  expect(asked).toEqual(['claude --version']);
  fs.writeFileSync(path.join(place.bin, 'claude'), 'another');
  await programs.know('claude');
  expect(asked).toHaveLength(2);
  expect(versionOf(programs, 'claude')).toBe('2.1.2');
});

test('a program that fails, hangs or says nothing has no version, and nobody waits for long', async () => {
  const place = binWith({ claude: '#!/bin/sh\nexit 3\n', codex: '#!/bin/sh\necho hello\n', gemini: 'not a program' });
  const programs = programsOf(place);
  await programs.askAll();
  for (const harness of ['claude', 'codex', 'gemini']) expect(versionOf(programs, harness)).toBeNull();
  const ask = askProgram(environmentOf(place.home, {}, 'linux'), { PATH: '/usr/bin:/bin' });
  expect(await ask('/bin/sh', ['-c', 'sleep 60'], 100, false)).toBeNull();
  expect(await ask('/bin/sh', ['-c', 'exit 3'], 5000, false)).toMatchObject({ status: 3 });
  // Nobody types anything: it does not wait for that.
  expect(await ask('/bin/cat', [], 5000, false)).toMatchObject({ status: 0 });
});

test('what a program writes into its own folder while it is asked for its version goes with the question', async () => {
  const place = binWith({ codex: '#!/bin/sh\necho x > "$CODEX_HOME/left"\necho 0.171.0\necho "$CODEX_HOME" > "$HOME/where"\n' });
  const programs = programsOf(place);
  await programs.askAll();
  expect(versionOf(programs, 'codex')).toBe('0.171.0');
  const where = fs.readFileSync(path.join(place.home, 'where'), 'utf8').trim();
  expect(where.startsWith(place.home)).toBe(false);
  expect(fs.existsSync(where)).toBe(false);
});

test('a version is the first dotted number that is said', () => {
  expect(versionIn('codex-cli 0.171.0-alpha.2\n')).toBe('0.171.0-alpha.2');
  expect(versionIn('OpenClaw 2026.7.2 (abc)')).toBe('2026.7.2');
  expect(versionIn('no number here 7')).toBeNull();
});
