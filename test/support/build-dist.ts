import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds dist/ before the first test when the sources are newer: tests drive the built program. */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('dist/ could not be built');
}
