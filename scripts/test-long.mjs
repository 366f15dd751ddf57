// The long rounds: `npm run test:long -- [--minutes 10 | --rounds N] [--seed N] [what vitest takes: files, --project crash]`.
// Every case of what `npm test` takes a sample of, ten times the cases of property tests, and as many rounds of kills, crashes,
// editors and agents as the minutes allow. Without a seed it looks where nobody has looked yet, and says where that was.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Test files run side by side, as many as test/vitest.config.ts has workers. */
const TOGETHER = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const rest = process.argv.slice(2);
const minutes = Number(take('minutes') ?? 10);
const fixed = take('rounds');
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

/** The tests that look further in a long run, of those that were named or of all. */
function longTests(named) {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file}`)
    .filter((file) => file.endsWith('.test.ts') && (named.length === 0 || named.some((name) => file.includes(name))))
    .filter((file) => textOf(file).includes('support/effort.ts'));
}

/** How many loops go on until their time is over: they share the minutes. */
function countEndless(files) {
  return Math.max(1, files.flatMap((file) => textOf(file).match(/\b(?:rounds|untilLate)\(/g) ?? []).length);
}

function textOf(file) {
  return readFileSync(join(root, file), 'utf8');
}

console.log(
  `test:long: seed ${seed}. The same again: npm run test:long -- ${fixed === undefined ? `--minutes ${minutes}` : `--rounds ${fixed}`} --seed ${seed} ${rest.join(' ')}`,
);
const named = rest.filter((arg) => arg.includes('.test.ts') || arg.startsWith('test/'));
const files = longTests(named);
const endless = countEndless(files);
const seconds = Math.ceil((minutes * 60 * Math.min(TOGETHER, endless)) / endless);
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...rest, ...(named.length > 0 ? [] : files)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ROUX_SEED: seed, ROUX_LONG_SECONDS: String(seconds), ...(fixed === undefined ? {} : { ROUX_ROUNDS: fixed }) },
});
process.exit(status ?? 1);
