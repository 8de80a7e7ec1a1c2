/** What this process tells V8 about its memory. */
import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * Whether the young generation may grow. An import makes short-lived objects without end, and V8 would keep 100 MB for them. The server is
 * started with a bound (server-process.ts); a program that a person starts can only say, once it runs, that there shall be no more than
 * there is: it reads at the same pace with it (Node 24, a file of 1 GB).
 */
export function letYoungGenerationGrow(may: boolean): void {
  v8.setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);
}

/**
 * Gives memory back to the system after bulk work. V8 collects when it allocates: a process that rests after an import keeps all that the
 * import had, for hours.
 */
export function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
