/**
 * Commands that were left running: harnesses say so (`backgroundTask`), or the shell's own signs do. One ends with the news of
 * its end, with a stop of the harness's tool, or with a `kill` that names it. Pid and port are read where they are printed.
 */
import type { Action } from './action.ts';
import { failedAction } from './action.ts';
import type { BatonState, ProcessNote } from './baton-state.ts';
import { limits } from './baton-state.ts';
import { clip } from './clean-text.ts';

export function withProcesses(state: BatonState, did: Action): BatonState {
  const task = did.details.extra?.['backgroundTask'];
  const id = typeof task === 'string' ? clip(task, 80) : '';
  const known = state.processes.filter((process) => !isEnded(process, did, id));
  if (began(did, id, state.processes)) {
    const process: ProcessNote = {
      id,
      command: clip(did.line.replace(/^nohup /, '').replace(/\s*&(?:\s*(?:disown|echo \S+))?\s*$/, ''), 200),
      pid: pidIn(did.output),
      port: portIn(did.line) ?? portIn(did.output),
      at: did.at,
      entry: did.entry,
    };
    return {
      ...state,
      processes: [...known.filter((other) => other.command !== process.command || id === ''), process].slice(-limits.processes),
    };
  }
  // What a later look at its output tells.
  const told = known.map((process) =>
    process.id === '' || process.port !== null || !names(did.title, process.id)
      ? process
      : { ...process, port: portIn(did.output) },
  );
  return told.length === state.processes.length && told.every((process, index) => process === state.processes[index])
    ? state
    : { ...state, processes: told };
}

function began(did: Action, id: string, known: readonly ProcessNote[]): boolean {
  if (did.line === '' || did.details.action === 'agent') return false;
  if (id !== '')
    return did.details.status === undefined && did.details.exitCode === undefined && !known.some((process) => process.id === id);
  if (failedAction(did)) return false;
  return /(?<![&>|])&\s*(?:$|disown\b|echo\b|sleep\b|\))/.test(did.line) || /^(?:nohup|setsid) /.test(did.line);
}

function isEnded(process: ProcessNote, did: Action, id: string): boolean {
  const isOver = did.details.status !== undefined || did.details.exitCode !== undefined;
  if (process.id !== '' && isOver && (id === process.id || (did.line === '' && names(did.title, process.id)))) return true;
  if (process.id !== '' && did.line === '' && /kill|stop|terminate/i.test(did.name) && names(did.title, process.id))
    return !did.isError;
  if (!/\b(?:kill|pkill|killall|fuser|taskkill|stop-process)\b/i.test(did.line) || did.isError) return false;
  if (process.pid !== null && names(did.line, String(process.pid))) return true;
  if (process.port !== null && names(did.line, String(process.port))) return true;
  const [, , quoted, bare] = /\b(?:pkill|killall)\b(?: -\S+)* (?:(['"])(.{3,80}?)\1|([^'"\s;|&]{3,80}))/.exec(did.line) ?? [];
  const pattern = quoted ?? bare;
  return pattern !== undefined && process.command.includes(pattern);
}

/** As a word of its own. */
function names(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}_]/u.test(text[at - 1] ?? '') && !/[\p{L}\p{N}_]/u.test(text[at + word.length] ?? '')) return true;
  }
  return false;
}

function pidIn(output: string): number | null {
  const start = output.slice(0, 4000);
  const found =
    /\b(?:pids?|process(?: id)?)\b[ :=#]{1,3}(\d{2,8})\b/i.exec(start)?.[1] ?? /^\[\d{1,3}\] (\d{2,8})\s*$/m.exec(start)?.[1];
  return found === undefined ? null : Number(found);
}

function portIn(text: string): number | null {
  const found =
    /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b/.exec(text)?.[1] ??
    /(?:--port|(?<!\S)-p|\bport|\bPORT)[ =:]{1,2}(\d{2,5})\b/.exec(text)?.[1] ??
    /\bhttp\.server (\d{2,5})\b/.exec(text)?.[1];
  const port = Number(found ?? 0);
  return port > 0 && port < 65_536 ? port : null;
}
