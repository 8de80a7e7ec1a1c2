/**
 * Gives memory back to the system after bulk work. V8 collects when it allocates: a process that rests after an import keeps all that the
 * import had, for hours.
 */
import v8 from 'node:v8';
import vm from 'node:vm';

export function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
