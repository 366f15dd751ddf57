// Runs the soak test long: `npm run soak -- [seconds, 600 unless told] [seed]`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [seconds = '600', seed] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/sessions'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ROUX_SOAK_SECONDS: seconds, ...(seed === undefined ? {} : { ROUX_SOAK_SEED: seed }) },
});
process.exit(status ?? 1);
