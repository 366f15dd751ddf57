import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { testEnvironment } from '../../support/program/cli.ts';
import { repositoryRoot } from '../../support/vault.ts';
import type { Seed } from './seeds.ts';

/** What a test came to. */
export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
  /** What the failures say. */
  readonly messages: readonly string[];
}

/** A copy of this repository whose source may be changed. */
export interface SourceCopy {
  /** Runs the test of a seed, on the source with its bug or as it is. */
  run(seed: Seed, how: { readonly isSeeded: boolean }): TestOutcome;
  dispose(): void;
}

/** Not copied: what is large, or made from the rest. */
const LEFT_OUT = /^(?:node_modules|dist|\.dist-.*|\.git|\.vitest)$/;

/** Whether a test starts the built program. */
export function isBuilt(test: string): boolean {
  return /^test\/(?:faces|contract|crash|sessions|trust)\//.test(test);
}

/** Copies this repository into a temporary folder, with the packages that are installed here. */
export function copySource(): SourceCopy {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'roux-source-')));
  const root = join(place, 'main');
  cpSync(repositoryRoot, root, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(repositoryRoot, path)) });
  symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
  return {
    run(seed, { isSeeded }) {
      const file = join(root, seed.file);
      const source = readFileSync(file, 'utf8');
      if (source.split(seed.from).length !== 2) throw new Error(`${seed.file} has to hold this once: ${seed.from}`);
      try {
        if (isSeeded)
          writeFileSync(
            file,
            source.replace(seed.from, () => seed.to),
          );
        return runTest(root, seed);
      } finally {
        writeFileSync(file, source);
      }
    },
    dispose: () => rmSync(place, { recursive: true, force: true }),
  };
}

function runTest(root: string, { name, test, title }: Seed): TestOutcome {
  const report = join(root, '.seeded.json');
  rmSync(report, { force: true });
  if (isBuilt(test)) start(root, [join(root, 'scripts/build.mjs'), '--no-check']);
  const pattern = title.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const args = ['run', '--config', 'test/vitest.config.ts', test, '-t', pattern, '--bail=1', '--reporter=json', `--outputFile=${report}`];
  const told = start(root, [join(root, 'node_modules/vitest/vitest.mjs'), ...args]);
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const messages = testResults.flatMap(({ assertionResults }) => assertionResults.flatMap(({ failureMessages }) => failureMessages));
    return { passed: numPassedTests, failed: numFailedTests, messages };
  } catch (cause) {
    throw new Error(`${name}: the test did not run: ${told}`, { cause });
  }
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[] }[];
}

/** Every case of a test is tried, since a sample could leave out the one that shows the bug; dist/ is what was built a moment before. */
function start(root: string, args: readonly string[]): string {
  const env = testEnvironment({ ROUX_LONG_SECONDS: '1', ROUX_TEST_BUILT: 'yes' });
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}
