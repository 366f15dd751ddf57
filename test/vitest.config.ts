import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The rooms of the tests, a project each: `npm test -- --project graph` runs one. */
const ROOMS: readonly string[] = ['note', 'graph', 'store', 'vault', 'ops', 'faces', 'contract', 'crash', 'sessions', 'trust'];

/** Rooms whose tests start the built program. */
const BUILT: ReadonlySet<string> = new Set(['faces', 'contract', 'crash', 'sessions', 'trust']);

const built = { globalSetup: ['test/support/build-dist.ts'] };

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Two cores: more workers than that only make the tests that start servers slower.
    maxWorkers: 2,
    // Tests share no state that a file could leave behind, and a process for each file costs more than most files.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'house', include: ['test/*.test.ts'] } },
      ...ROOMS.map((room) => ({
        extends: true as const,
        test: { name: room, include: [`test/${room}/**/*.test.ts`], ...(BUILT.has(room) ? built : {}) },
      })),
    ],
  },
});
