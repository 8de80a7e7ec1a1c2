/**
 * When a server has come to rest, seen from outside: nothing of what it does after an import (packing, an index that is tidied) is left
 * out of the import's time, whatever it is called inside. Where the system tells no processor time, the ledger's files are looked at.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf } from './process-facts.ts';

export interface Rest {
  /** `performance.now()` at the end of the last work. */
  readonly at: number;
  /** Processor time until then; null where it is not told. */
  readonly cpuMs: number | null;
}

const lookMs = 200;
/** A sweep that finds nothing takes less than this in a second; work that anybody would call an import takes more. */
const workMs = 150;

/** Answers when the process did nothing for `quietMs`. Throws after `limitMs`. */
export async function untilQuiet(pid: number | undefined, ledger: string, quietMs: number, limitMs: number): Promise<Rest> {
  const began = performance.now();
  let rest: Rest = { at: began, cpuMs: cpuMsOf(pid) };
  let looks: { readonly at: number; readonly cpuMs: number }[] = [];
  let written = writtenOf(ledger);
  for (;;) {
    await delay(lookMs);
    const at = performance.now();
    const cpuMs = cpuMsOf(pid);
    if (cpuMs === null) {
      const now = writtenOf(ledger);
      if (now !== written) rest = { at, cpuMs: null };
      written = now;
    } else {
      looks = [...looks.filter((look) => look.at > at - 1000), { at, cpuMs }];
      const [oldest] = looks;
      const before = looks.at(-2);
      const busy = oldest !== undefined && cpuMs - oldest.cpuMs >= workMs;
      if (busy && before !== undefined && cpuMs - before.cpuMs >= 20) rest = { at, cpuMs };
    }
    if (at - rest.at >= quietMs) return rest;
    if (at - began > limitMs) throw new Error(`The server was still at work after ${limitMs} ms.`);
  }
}

/** Changes whenever something is written below the folder. */
function writtenOf(folder: string): string {
  if (!fs.existsSync(folder)) return '';
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stat = fs.statSync(path.join(folder, name), { throwIfNoEntry: false });
      return `${name} ${stat?.size} ${stat?.mtimeMs}`;
    })
    .join('\n');
}
