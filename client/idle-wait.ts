/**
 * Waiting until a thread may be taken over: tried again whenever the thread looks idle after a change, and from time to time because
 * not everything that holds a thread shows in the list. Ends with what the trial gave, or when the person gives up; one trial at a time.
 */
export interface IdleWait<Result> {
  /** `undefined`: still driven. Rejects with any other failure, which ends the waiting. */
  readonly attempt: () => Promise<Result | undefined>;
  readonly looksIdle: () => boolean;
  /** Calls when something about the thread may have changed; returns how to stop that. */
  readonly onChange: (listener: () => void) => () => void;
  /** Calls every some seconds; returns how to stop that. */
  readonly onTick: (listener: () => void) => () => void;
  readonly onCancel: (listener: () => void) => () => void;
}

/** `undefined`: cancelled. */
export async function waitUntilIdle<Result>(wait: IdleWait<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    let over = false;
    let trying = false;
    let again = false;
    const stops: (() => void)[] = [];
    const end = (settle: () => void): void => {
      if (over) return;
      over = true;
      for (const stop of stops) stop();
      settle();
    };
    const attempt = async (): Promise<void> => {
      try {
        const result = await wait.attempt();
        trying = false;
        if (result !== undefined) end(() => resolve(result));
        else if (again) go();
      } catch (error) {
        end(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    const go = (): void => {
      if (over) return;
      if (trying) {
        again = true;
        return;
      }
      trying = true;
      again = false;
      void attempt();
    };
    stops.push(
      wait.onCancel(() => {
        end(() => resolve(undefined));
      }),
      wait.onTick(go),
      wait.onChange(() => {
        if (wait.looksIdle()) go();
      }),
    );
    if (wait.looksIdle()) go();
  });
}
