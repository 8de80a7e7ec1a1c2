/** The code of a failure that the operating system reported ("ENOENT"); undefined for every other error, which is a bug. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What the action gives; undefined when the operating system refused. Every other error is a bug, and is thrown on. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
