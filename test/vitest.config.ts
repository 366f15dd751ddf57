import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isLong } from './support/effort.ts';

/** The rooms of the tests, a project each where one is named: `npm test -- --project graph` runs one. */
const ROOMS: readonly string[] = [
  'house',
  'note',
  'query',
  'extraction',
  'providers',
  'graph',
  'importing',
  'git',
  'store',
  'vault',
  'ops',
  'system',
  'faces',
  'contract',
  'conformance',
  'crash',
  'sessions',
  'trust',
  'package',
  'page',
  'render',
];

/** Rooms whose tests start the built program. */
const BUILT: ReadonlySet<string> = new Set(['house', 'faces', 'contract', 'conformance', 'crash', 'sessions', 'trust', 'page', 'package']);

// Chosen here, once for all processes of a run, and told, so that it can be looked at again.
if (process.env['ROUX_SEED'] === 'random') {
  process.env['ROUX_SEED'] = String(randomInt(1_000_000));
  console.log(`ROUX_SEED=${process.env['ROUX_SEED']}`);
}

/** The vaults of a run, and what its programs keep, take less than a tenth of it. */
const MIN_FREE_BYTES = 2 ** 33;

// In memory where there is room: a commit waits for the disk otherwise, and no test takes the power from it. Long rounds stay on the disk.
if (!isLong && process.env['TMPDIR'] === undefined && hasRoom('/dev/shm')) {
  // What the next run takes over stays where it was.
  process.env['ROUX_TEST_KEPT'] ??= tmpdir();
  const folder = mkdtempSync('/dev/shm/roux-tests-');
  // As the folder of the system: some tests are another user's.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

const BUILD = ['test/support/program/build-dist.ts'];

/** One room as a project. What no room is for lies beside them. */
function project(room: string) {
  const include = [room === 'house' ? 'test/*.test.ts' : `test/${room}/**/*.test.ts`];
  return { extends: true as const, test: { name: room, include, ...(BUILT.has(room) ? { globalSetup: BUILD } : {}) } };
}

/** Without projects: each would have processes of its own, which cost more than many a room. */
function allRooms() {
  const named = process.argv
    .filter((arg) => arg.startsWith('test/') && arg !== 'test/vitest.config.ts')
    .map((arg) => /^test\/(\w+)\//.exec(arg)?.[1] ?? 'house');
  const needsProgram = named.length === 0 || named.some((room) => BUILT.has(room));
  return { include: ['test/**/*.test.ts'], ...(needsProgram ? { globalSetup: BUILD } : {}) };
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    setupFiles: ['test/support/seed.ts'],
    // Longer than any takes, also where the machine is busy: what hangs is found all the same.
    testTimeout: isLong ? 3_600_000 : 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // One more than there are cores here: a quarter of the time tests wait for the disk.
    maxWorkers: isLong ? 2 : 3,
    // Tests share no state that a file could leave behind, and a process for each file costs more than most files.
    isolate: false,
    // What one room has had translated, the others read; by content, so that a change is seen.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.vitest/modules' },
    ...(process.argv.some((arg) => arg.startsWith('--project')) ? { projects: ROOMS.map(project) } : allRooms()),
  },
});
