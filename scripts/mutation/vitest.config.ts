import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { instrument } from './instrument.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { files } = JSON.parse(readFileSync(`${process.env['MUTANTS_WORK'] ?? ''}/todo.json`, 'utf8')) as { files: string[] };
const recorded = fileURLToPath(new URL('recorded-tests.ts', import.meta.url));

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      async resolveId(id, importer) {
        // Tests tell of themselves to the recorder; what they expect with is vitest's own.
        return id === 'vitest' && importer?.includes('/test/') === true ? '\0recorded-vitest' : null;
      },
      load(id) {
        if (id !== '\0recorded-vitest') return null;
        return `export * from ${JSON.stringify(recorded)}; export { expect, vi } from 'vitest';`;
      },
      transform(code, id) {
        const name = relative(root, id.split('?')[0] ?? '');
        return files.includes(name) ? { code: instrument(name, code).code, map: null } : null;
      },
    },
  ],
  test: {
    include: ['scripts/mutation/mutants.entry.ts'],
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks',
    maxWorkers: 1,
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
