/** Time as the engine's executions see it; given by the host, so that tests own it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once, not before that time; returns how to call it off. */
  at(time: number, call: () => void): () => void;
}

/** Timers of the platform count to about 24 days. */
const longest = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, call) {
    let timer: ReturnType<typeof setTimeout>;
    // The platform may wake a little early, and its clock may have been set back meanwhile.
    const woken = (): void => (Date.now() < time ? wait() : call());
    const wait = (): void => void (timer = setTimeout(woken, Math.min(Math.max(0, time - Date.now()), longest)));
    wait();
    return () => clearTimeout(timer);
  },
};

/** Resolves at that time; rejects with the signal's reason as soon as it aborts. */
export async function sleep(clock: Clock, until: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = clock.at(until, resolve);
  const abort = (): void => {
    stop();
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
