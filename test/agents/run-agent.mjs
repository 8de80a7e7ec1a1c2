/**
 * Runs the real programs headless in a world: one prompt to the end, or held in the middle of a turn. Every process has
 * its own group, a time limit, and is ended by its pid.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Runs a program to its end.
 * @returns {Promise<{ status: number | null, signal: string | null, stdout: string, stderr: string, ms: number, timedOut: boolean }>}
 */
export function run(argv, { cwd, env, timeoutMs = 120_000, input = '' }) {
  const child = start(argv, { cwd, env });
  child.process.stdin.end(input);
  const begun = Date.now();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  return child.ended.then((end) => {
    clearTimeout(timer);
    return { ...end, ms: Date.now() - begun, timedOut, stdout: child.stdout(), stderr: child.stderr() };
  });
}

const live = new Set();

/** Ends every process that is still running here, by its pid. */
export async function endAll() {
  const left = [...live];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => child.ended));
}

/** Starts a program in a process group of its own. `kill` reaches the group, so that tools it started end with it. */
export function start(argv, { cwd, env }) {
  const program = spawn(argv[0], argv.slice(1), { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    program[name].setEncoding('utf8');
    program[name].on('data', (text) => (out[name] += text));
  }
  program.stdin.on('error', () => {});
  const ended = new Promise((resolve) => {
    program.on('error', (error) => {
      out.stderr += error.message;
      resolve({ status: null, signal: null });
    });
    program.on('close', (status, signal) => resolve({ status, signal }));
  });
  const kill = (signal) => {
    if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) return;
    try {
      process.kill(-program.pid, signal);
    } catch {
      program.kill(signal);
    }
  };
  const child = { process: program, pid: program.pid, ended, kill, stdout: () => out.stdout, stderr: () => out.stderr };
  live.add(child);
  void ended.then(() => live.delete(child));
  return child;
}

export function claudeArgv(world, prompt, { resume, extra = [] } = {}) {
  const tools = ['Bash', 'Read', 'Write', 'Edit', 'TodoWrite'];
  return [
    world.agents.claude,
    '-p',
    prompt,
    '--output-format',
    'json',
    ...(resume ? ['--resume', resume] : []),
    ...(extra.includes('--model') ? [] : ['--model', 'claude-sonnet-4-5-20250929']),
    ...extra,
    '--allowedTools',
    ...tools,
  ];
}

/** One headless turn of the real claude. `sessionId` is what the program itself reports. */
export async function runClaude(world, prompt, options = {}) {
  const before = world.claudeApi.requests.length;
  const end = await run(claudeArgv(world, prompt, options), { cwd: options.cwd ?? world.cwd, env: world.env });
  const result = parsed(end.stdout);
  return {
    ...end,
    sessionId: result?.session_id,
    answer: result?.result,
    requests: world.claudeApi.requests
      .slice(before)
      .filter((request) => request.path === '/v1/messages' && (request.body.tools ?? []).length > 0),
  };
}

export function codexArgv(world, prompt, { resume, extra = [] } = {}) {
  return [
    world.agents.codex,
    'exec',
    ...(resume ? ['resume'] : []),
    '--json',
    '--skip-git-repo-check',
    ...extra,
    ...(resume ? [resume] : []),
    prompt,
  ];
}

/** One headless turn of the real codex. `sessionId` is the thread id that the program itself reports. */
export async function runCodex(world, prompt, options = {}) {
  const before = world.codexApi.requests.length;
  const end = await run(codexArgv(world, prompt, options), { cwd: options.cwd ?? world.cwd, env: world.env });
  const events = end.stdout.split('\n').flatMap((line) => parsed(line) ?? []);
  return {
    ...end,
    sessionId: events.find((event) => event.type === 'thread.started')?.thread_id,
    answer: events.findLast((event) => event.type === 'item.completed' && event.item?.type === 'agent_message')?.item.text,
    requests: world.codexApi.requests.slice(before).filter((request) => request.path === '/v1/responses'),
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits until `probe` gives something; fails with `what` (a text, or a function that gives it then) after
 * the time limit. */
export async function until(probe, what, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${typeof what === 'function' ? what() : what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Every file below `folder`, as absolute paths, sorted. */
export function filesBelow(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}

export const claudeSessionFiles = (world) =>
  filesBelow(path.join(world.claudeHome, 'projects')).filter((file) => file.endsWith('.jsonl'));
export const codexSessionFiles = (world) =>
  filesBelow(path.join(world.codexHome, 'sessions')).filter((file) => file.endsWith('.jsonl'));
