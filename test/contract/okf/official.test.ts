import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';
import { filesIn } from './files-in.ts';
import { cpuMs } from '../../support/effort.ts';

/** A clone of GoogleCloudPlatform/knowledge-catalog: named by the environment, or beside this repository. Nothing of it is in this one. */
const CATALOG = [process.env['OKF_CATALOG'], join(repositoryRoot, '../.mirror/GoogleCloudPlatform+knowledge-catalog/repo')].find(
  (path): path is string => path !== undefined && existsSync(path),
);
const BUNDLES = ['acme_retail', 'crypto_bitcoin', 'ga4', 'stackoverflow'];
/** `roux okf check` ends in under two seconds; counted by CPU, with room for a slow machine. */
const MAX_CHECK_CPU_MS = 10_000;

let folder = '';
beforeAll(() => {
  if (CATALOG === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'roux-okf-'));
  const tar = execFileSync('git', ['-C', CATALOG, 'archive', 'HEAD', 'okf/bundles'], { maxBuffer: 64 * 1024 * 1024 });
  execFileSync('tar', ['x', '-C', folder], { input: tar });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(CATALOG === undefined).for(BUNDLES)('G-04 the official bundle %s conforms and comes back byte for byte', (name) =>
  withVault({}, async (vault) => {
    const bundle = join(folder, 'okf/bundles', name);
    const before = cpuMs();
    const check = await cli(['okf', 'check', bundle, '--json']);
    expect(cpuMs() - before).toBeLessThan(MAX_CHECK_CPU_MS);
    expect([check.status, JSON.parse(check.stdout)]).toMatchObject([0, { conforms: true }]);
    expect((await cli(['okf', 'import', bundle, '--to', `k/${name}`, '--write', '--vault', vault.root])).status).toBe(0);
    const out = join(folder, 'out', name);
    expect((await cli(['okf', 'export', `k/${name}`, '--out', out, '--write', '--vault', vault.root])).status).toBe(0);
    expect(filesIn(out)).toEqual(filesIn(bundle));
    expect(Object.keys(filesIn(out)).length).toBeGreaterThan(14);
    const unresolved = JSON.parse((await cli(['unresolved', '--json', '--vault', vault.root])).stdout) as unknown;
    expect(unresolved).toEqual([]);
  }),
);
