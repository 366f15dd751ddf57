import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isLong } from './support/effort.ts';

/** The rooms of the tests, a project each: `npm test -- --project graph` runs one. */
const ROOMS: readonly string[] = ['note', 'graph', 'store', 'vault', 'ops', 'faces', 'contract', 'crash', 'sessions', 'trust'];

/** Rooms whose tests start the built program. */
const BUILT: ReadonlySet<string> = new Set(['faces', 'contract', 'crash', 'sessions', 'trust']);

// Chosen here, once for all processes of a run, and told, so that it can be looked at again.
if (process.env['ROUX_SEED'] === 'random') {
  process.env['ROUX_SEED'] = String(randomInt(1_000_000));
  console.log(`ROUX_SEED=${process.env['ROUX_SEED']}`);
}

const built = { globalSetup: ['test/support/build-dist.ts'] };

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    setupFiles: ['test/support/seed.ts'],
    testTimeout: isLong ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Two cores: more workers than that only make the tests that start servers slower.
    maxWorkers: 2,
    // Tests share no state that a file could leave behind, and a process for each file costs more than most files.
    isolate: false,
    // What one room has had translated, the others read; by content, so that a change is seen.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.vitest/modules' },
    projects: [
      { extends: true, test: { name: 'house', include: ['test/*.test.ts'] } },
      ...ROOMS.map((room) => ({
        extends: true as const,
        test: { name: room, include: [`test/${room}/**/*.test.ts`], ...(BUILT.has(room) ? built : {}) },
      })),
    ],
  },
});
