/** `loom continue` at a terminal and without one: who is asked, what is told, and what is waited for. */
import fs from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { continueThread } from '../../server/drive/continue.ts';
import { parseCommandLine } from '../../server/main/arguments.ts';
import { continueCommand } from '../../server/main/commands/continue.ts';
import type { CommandContext, Outcome } from '../../server/main/commands/command.ts';
import { whenIdle } from '../../server/main/commands/when-idle.ts';
import { environmentOf } from '../../server/main/environment.ts';
import { Terminal } from '../../server/main/terminal.ts';
import { Fault } from '../../server/protocol/faults.ts';
import type { ContinueParams, ContinueResult } from '../../server/protocol/requests.ts';
import type { HomeLedger } from '../home-ledger.ts';
import { dependencies, handOver, id } from './hand-over.ts';
import { ledgerOf, threadOf } from './read-home.ts';

interface Said {
  readonly outcome: Outcome;
  readonly out: string;
  readonly err: string;
  readonly asked: readonly ContinueParams[];
}

/** `types`: what the person types; null: there is no terminal. */
async function run(home: HomeLedger, line: string, types: string | null): Promise<Said> {
  const parsed = parseCommandLine(['continue', id, ...line.split(' ')]);
  if ('usage' in parsed) return { outcome: parsed, out: '', err: '', asked: [] };
  const tty = <T extends object>(stream: T): T => Object.assign(stream, { isTTY: types !== null });
  const [out, errors, input] = [new PassThrough(), tty(new PassThrough()), tty(new PassThrough())];
  if (types !== null) input.end(types);
  const asked: ContinueParams[] = [];
  const request = (_method: string, params: ContinueParams): Promise<ContinueResult> => {
    asked.push(params);
    return continueThread(params, dependencies(home));
  };
  const outcome = await continueCommand.run({
    parsed,
    terminal: new Terminal(out, errors, {}, input),
    environment: environmentOf(home.home, {}, 'linux'),
    ledger: home.ledger,
    folder: home.folder,
    service: undefined,
    report: undefined,
    request: request as unknown as CommandContext['request'],
    now: () => Date.now(),
  });
  const text = (stream: PassThrough): string => ((stream.read() as Buffer | null) ?? '').toString();
  return { outcome, out: text(out), err: text(errors), asked };
}
const epoch = (home: HomeLedger): number => threadOf(home).lease_epoch;

test('at a terminal the person sees what would leave, and is asked', async () => {
  await using home = await ledgerOf();
  const said = await run(home, '--in codex', 'y\n');
  expect(said.outcome).toMatchObject({ status: 0 });
  expect(said.err).toMatch(/This leaves Claude Code for Codex, and so for OpenAI: 2 messages \([\d.]+ KB, 0 secrets masked/u);
  expect(said.err).toContain('Hand it over?');
  expect(said.out).toMatch(/^Carried 2 messages .* from Claude Code to Codex, as a new session\./u);
  expect(said.asked.map(({ dryRun, confirmed }) => [dryRun, confirmed])).toEqual([
    [true, null],
    [false, 'once'],
  ]);
  expect(epoch(home)).toBe(1);
});

test.for(['n\n', '\n', '', 'maybe\n'])('an answer of %j hands nothing over', async (types) => {
  await using home = await ledgerOf();
  const said = await run(home, '--in codex', types);
  expect(said.outcome).toEqual({ status: 1 });
  expect(said.err).toContain('Nothing was handed over.');
  expect(said.out).toBe('');
  expect(epoch(home)).toBe(0);
});

test('an answer for always asks no more', async () => {
  await using home = await ledgerOf();
  await run(home, '--in codex', 'a\n');
  await handOver(home, { harness: 'claude' });
  const again = await run(home, '--in codex --native', 'never read\n');
  expect(again.err).not.toContain('Hand it over?');
  expect(epoch(home)).toBe(3);
});

test('within one agent, with --yes or --always, in a script and with --json nobody is asked', async () => {
  await using home = await ledgerOf();
  for (const [line, types] of [
    ['--in claude', 'n\n'],
    ['--in codex --yes', 'n\n'],
    ['--in claude --native', null],
    ['--in codex --json', 'n\n'],
    ['--in claude --always', 'n\n'],
  ] as const) {
    const said = await run(home, line, types);
    expect(said.outcome, line).toMatchObject({ status: 0 });
    expect(said.err, line).not.toContain('Hand it over?');
  }
  expect(epoch(home)).toBe(5);
  expect((await handOver(home, { harness: 'codex', dryRun: true, confirmed: null })).consent).toBe('needed');
});

test('the ways exclude each other, and each is asked for by its name', async () => {
  await using home = await ledgerOf();
  expect(await run(home, '--in codex --native --return', null)).toMatchObject({
    outcome: { usage: expect.any(String) as string },
  });
  await run(home, '--in codex', null);
  const back = await run(home, '--in claude --return', null);
  expect(back.out).toMatch(/Carried 0 messages .*back into the session that it was in before/u);
  expect(back.asked).toMatchObject([{ mode: 'return' }]);
  const brief = await run(home, '--in codex --prompt', null);
  expect(brief.out).toMatch(/Carried the baton .*as a file that the first prompt names/u);
  expect(brief.err).toContain('Summary and plan, not the native history');
  expect((await run(home, '--in claude', null)).asked).toMatchObject([{ mode: null }]);
});

test('a dry run changes nothing and asks nobody', async () => {
  await using home = await ledgerOf();
  const said = await run(home, '--in codex --dry-run', '');
  expect(said.out).toMatch(/^Would carry 2 messages/u);
  expect(fs.existsSync(`${home.home}/.codex`)).toBe(false);
  expect(epoch(home)).toBe(0);
});

test('a number behind --wait is its own, and another word is not', () => {
  const optionsOf = (line: string): unknown => {
    const parsed = parseCommandLine(line.split(' '));
    return 'usage' in parsed ? parsed.usage : [parsed.positionals, parsed.options['wait']];
  };
  expect(optionsOf('continue --in codex --wait 30 abc')).toEqual([['abc'], '30']);
  expect(optionsOf('continue --in codex --wait abc')).toEqual([['abc'], '600']);
  expect(optionsOf('continue abc --in codex --wait')).toEqual([['abc'], '600']);
  expect(optionsOf('continue abc --in codex --wait=5')).toEqual([['abc'], '5']);
  expect(optionsOf('continue abc --in codex')).toEqual([['abc'], undefined]);
});

test('who waits goes on when the driver is idle, is told once why, and gives up in time; other refusals are not waited for', async () => {
  let clock = 0;
  const told: string[] = [];
  const outside = { now: () => clock, told: (text: string) => void told.push(text) };
  const pause = (ms: number): Promise<void> => {
    clock += ms;
    return Promise.resolve();
  };
  const busyUntil = (until: number) => () =>
    clock < until ? Promise.reject(new Fault('C002', 'Codex is working: process 7')) : Promise.resolve('gone on');
  expect(await whenIdle(busyUntil(5000), 60, outside, pause)).toBe('gone on');
  expect(told).toEqual(['waiting until it is idle, 60 s at most: Codex is working: process 7']);
  await expect(whenIdle(busyUntil(Number.POSITIVE_INFINITY), 3, outside, pause)).rejects.toMatchObject({ id: 'C002' });
  expect(clock).toBe(8000);
  await expect(whenIdle(() => Promise.reject(new Fault('C003', 'empty')), 60, outside, pause)).rejects.toMatchObject({
    id: 'C003',
  });
});
