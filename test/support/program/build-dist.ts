import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Set once dist/ was looked at: each project that needs it asks. */
const LOOKED = 'ROUX_TEST_BUILT';

/** Builds dist/ before the first test of a project that drives the built program, when the sources are newer. */
export default function setup(): void {
  if (process.env[LOOKED] !== undefined) return;
  const script = fileURLToPath(new URL('../../../scripts/setup.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('dist/ could not be built');
  process.env[LOOKED] = 'yes';
}
