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
 * The old generation is collected once it is half as large again as what lived in it. V8 lets it grow to four times that when it collects
 * fast, and what an import takes apart lives long enough to get there: 75 MB more at its peak, at no gain in time (Node 24, 97 MB and 487 MB).
 * Holds for the threads of this process too, and for those that are started later.
 */
export function growLittle(): void {
  v8.setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Gives memory back to the system after bulk work. V8 collects when it allocates: a process that rests after an import keeps all that the
 * import had, for hours. As a last resort, it gives back the emptied pages too, of threads that have ended as well: else it keeps these for
 * a quarter of a minute, 140 MB of them (Node 24).
 */
export function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
