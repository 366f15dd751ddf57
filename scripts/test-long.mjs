// The long rounds: `npm run test:long -- [--minutes 10] [--seed N] [what vitest takes: files, --project crash]`.
// Every case of what `npm test` takes a sample of, ten times the cases of property tests, and as many rounds of kills, crashes,
// editors and agents as the minutes allow. Without a seed it looks where nobody has looked yet, and says where that was.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tests whose rounds have no end share the minutes; two run at a time. */
const ENDLESS = 12;
const TOGETHER = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const rest = process.argv.slice(2);
const minutes = Number(take('minutes') ?? 10);
const seed = take('seed') ?? String(randomInt(1_000_000));
if (!(minutes > 0)) {
  console.error('test:long: --minutes has to be a number above 0');
  process.exit(2);
}

/** Takes an option and its value out of the arguments. */
function take(name) {
  const at = rest.indexOf(`--${name}`);
  return at === -1 ? undefined : rest.splice(at, 2)[1];
}

/** The tests that look further in a long run. */
function longTests() {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && readFileSync(join(root, 'test', file), 'utf8').includes('support/effort.ts'))
    .map((file) => `test/${file}`);
}

console.log(`test:long: seed ${seed}. The same again: npm run test:long -- --minutes ${minutes} --seed ${seed} ${rest.join(' ')}`);
const filters = rest.some((arg) => arg.startsWith('test/')) ? [] : longTests();
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...rest, ...filters], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ROUX_SEED: seed, ROUX_LONG_SECONDS: String(Math.ceil((minutes * 60 * TOGETHER) / ENDLESS)) },
});
process.exit(status ?? 1);
