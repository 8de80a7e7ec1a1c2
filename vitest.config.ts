/** Unit and integration tests; what needs a real VS Code or the real agents runs from test/editor and test/agents. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.cache/**', 'test/agents/**', 'test/editor/**', 'test/bench/**'],
    pool: 'forks',
    testTimeout: 60_000,
    reporters: ['default'],
  },
});
