import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../../src/faces/http/serve-http.ts';
import { openHost } from '../../src/open-host.ts';
import { loadConfig } from '../../src/system/settings-files/load-config.ts';
import { testEnvironment } from '../support/program/cli.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { openWithFixtures } from './fixtures.ts';
import { notApplicable } from './not-applicable.ts';
import type { SuiteName } from './not-applicable.ts';

interface Suite {
  readonly name: SuiteName;
  readonly module: string;
  readonly args: readonly string[];
  /** So many scenarios it has: one that ends early would look like one that passes. */
  readonly scenarios: number;
}

const NEWER = '@modelcontextprotocol/conformance';
const SUITES: readonly Suite[] = [
  { name: '0.1.16', module: 'conformance-legacy', args: [], scenarios: 32 },
  { name: '0.2.0, 2025-11-25', module: NEWER, args: ['--spec-version', '2025-11-25'], scenarios: 33 },
  { name: '0.2.0, 2026-07-28', module: NEWER, args: ['--spec-version', '2026-07-28'], scenarios: 40 },
];

describe('V-10 the official conformance suites, over HTTP', () => {
  for (const suite of SUITES) {
    it(`suite ${suite.name} passes in every scenario that applies`, () =>
      withVault({ 'a.md': 'one\n' }, (vault) =>
        withVault({}, async (results) => {
          const output = await serving(vault, (url) => run(suite, url, results.root));
          const failures = failuresIn(results.root);
          expect(failures.size, output.slice(-2_000)).toBe(suite.scenarios);
          const failing = [...failures].filter(([, checks]) => checks.length > 0);
          const expected = notApplicable(suite.name);
          expect(failing.filter(([name]) => !expected.has(name))).toEqual([]);
          expect([...expected.keys()].filter((name) => failures.get(name)?.length === 0)).toEqual([]);
          expect([...expected.keys()].filter((name) => !failures.has(name))).toEqual([]);
        }),
      ));
  }
});

/** Runs with a server, as `roux serve` has it, that offers the fixtures of the suites beside its own. */
async function serving<T>(vault: TestVault, use: (url: string) => Promise<T>): Promise<T> {
  const env = { ...testEnvironment(), ROUX_HTTP_PORT: '0', ROUX_LOG: 'error' };
  const host = openHost({ root: vault.root, config: loadConfig({ vaultRoot: vault.root, env, flags: [] }), isFollowing: true });
  const face = await serveHttp(host, { token: null, open: openWithFixtures });
  try {
    return await use(face.url);
  } finally {
    await face.close();
    await host.close();
  }
}

/** Runs all scenarios of a suite against a server, and gives what it printed. */
function run({ module, args }: Suite, url: string, output: string): Promise<string> {
  const hooks = fileURLToPath(new URL('./glob-sync.mjs', import.meta.url));
  const program = join(repositoryRoot, 'node_modules', module, 'dist/index.js');
  const asked = ['server', '--url', `${url}/mcp`, '--suite', 'all', ...args, '-o', output];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', hooks, program, ...asked], { cwd: output, stdio: 'pipe' });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

/** What failed in each scenario that was run, as the suite has written it down. */
function failuresIn(folder: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    readdirSync(folder).map((name) => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[];
      const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`);
      return [/^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name, failed];
    }),
  );
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}
