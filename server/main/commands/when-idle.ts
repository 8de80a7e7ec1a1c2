/** Waits for a thread that is being driven (C002) until it is idle, then does what was asked for. */
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../protocol/faults.ts';

const everyMs = 1000;

/** `seconds`: how long at most; then the refusal is thrown. What is waited for is told once. */
export async function whenIdle<T>(
  work: () => Promise<T>,
  seconds: number,
  { now, told }: { readonly now: () => number; readonly told: (text: string) => void },
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<T> {
  const until = now() + seconds * 1000;
  let isTold = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.id !== 'C002' || now() >= until) throw error;
      if (!isTold) told(`waiting until it is idle, ${seconds} s at most: ${error.detail}`);
      isTold = true;
      await pause(everyMs);
    }
  }
}
