/**
 * Child processes that never outlive their purpose. Each runs in a process group of its own, so that it is ended with all that it
 * started, by that group's id; a time bound is part of every call; an interrupt of this process ends them all. Runs on Node 18.
 */
import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';

const graceMs = 5_000;
const running = new Set();
const windows = process.platform === 'win32';

/** Sends `signal` to the group that `child` leads. On Windows the tree is ended at once: there are no signals. */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  if (windows) {
    spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', timeout: 10_000 });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already: that is what was wanted.
  }
}
/** However this process ends, short of being killed itself: nothing that it started stays. */
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});
const ended = (child) => child.exitCode !== null || child.signalCode !== null;

/** Starts a program in its own group. `options` as for `child_process.spawn`. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: !windows });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/** Ends a program and what it started: asks first, then insists after five seconds. Resolves when it is gone. */
export async function end(child) {
  if (!ended(child)) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    signalGroup(child, 'SIGTERM');
    const insist = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    await gone;
    clearTimeout(insist);
  }
  signalGroup(child, 'SIGKILL'); // grandchildren that the program left behind
}

/**
 * Runs a program to its end. Resolves with `{code, timedOut, output}`; never rejects: a program that cannot be started has code 127.
 * `onText` sees the output as it comes.
 */
export async function run(command, args, { timeoutMs, onText = () => undefined, ...options }) {
  const child = start(command, args, options);
  let output = '';
  let timedOut = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
      onText(text);
    });
  }
  const timer = setTimeout(() => {
    timedOut = true;
    void end(child);
  }, timeoutMs);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += `${command}: ${error.message}\n`;
      resolve(127);
    });
    // 'close' comes after the last output, but also waits for grandchildren that hold the pipe: they are ended first.
    child.once('exit', () => signalGroup(child, 'SIGKILL'));
    child.once('close', (status) => resolve(status ?? 1));
  });
  clearTimeout(timer);
  return { code: timedOut ? 124 : code, timedOut, output };
}

/** From now on an interrupt ends every child, calls `last` and ends this process with the customary code. */
export function endAllOnInterrupt(last = async () => undefined) {
  let leaving = false;
  const leave = async (code) => {
    if (leaving) return;
    leaving = true;
    await Promise.all([...running].map(end));
    await last();
    process.exit(code);
  };
  process.on('SIGINT', () => void leave(130));
  process.on('SIGTERM', () => void leave(143));
  process.on('SIGHUP', () => void leave(129));
  // npm runs a script through a shell, and passes a signal to the shell only: an orphan takes it as sent to itself too.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void leave(143);
  }, 1000).unref();
}
