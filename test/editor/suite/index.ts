/**
 * The entry that VS Code calls in its extension host: runs the mocha suite there and writes the counts to the file named by
 * LOOM_TEST_RESULT. Rejects, so that the host ends with a failure, when a test failed or none ran.
 */
import * as fs from 'node:fs';
import Mocha from 'mocha';

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 30_000, reporter: 'spec', forbidOnly: true });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./extension.ts');
  const stats = await new Promise<Mocha.Stats>((resolve, reject) => {
    const runner = mocha.run();
    runner.on('end', () => {
      if (runner.stats === undefined) reject(new Error('mocha kept no counts'));
      else resolve(runner.stats);
    });
  });
  const file = process.env['LOOM_TEST_RESULT'];
  if (file !== undefined)
    fs.writeFileSync(file, JSON.stringify({ passed: stats.passes, failed: stats.failures, skipped: stats.pending }));
  if (stats.failures > 0 || stats.passes === 0) throw new Error(`${stats.failures} of ${stats.tests} tests failed`);
}
