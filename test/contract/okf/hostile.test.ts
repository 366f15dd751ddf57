import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLong } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { BUNDLE } from './bundle.ts';

it('G-04 links, FIFOs, names that no vault takes and deep folders of a hostile bundle are left out and told, and nothing outside is read', () =>
  withVault({ 'secret.md': 'SECRET' }, (outside) =>
    withVault({ ...BUNDLE, '.git/config': 'x', 'node_modules/a.md': 'x' }, (bundle) =>
      withVault({}, async (vault) => {
        symlinkSync(outside.path('secret.md'), bundle.path('linked.md'));
        symlinkSync(outside.root, bundle.path('linked'));
        symlinkSync(bundle.path('bean.md'), bundle.path('twin.md'));
        execFileSync('mkfifo', [bundle.path('pipe.md')]);
        writeFileSync(bundle.path('a#b.md'), '---\ntype: A\n---\n');
        const deep = join(bundle.root, ...Array<string>(150).fill('d'));
        mkdirSync(deep, { recursive: true });
        writeFileSync(join(deep, 'x.md'), '---\ntype: A\n---\n');
        const { status, stdout } = await cli(['okf', 'import', bundle.root, '--write', '--vault', vault.root, '--json']);
        const { left, created } = JSON.parse(stdout) as { left: readonly { path: string }[]; created: readonly string[] };
        expect(status).toBe(1);
        expect(left.map(({ path }) => path)).toEqual(expect.arrayContaining(['a#b.md', 'twin.md']));
        expect(created).toEqual(Object.keys(BUNDLE).sort());
        expect(vault.files()).toEqual(Object.keys(BUNDLE).sort());
        expect(JSON.stringify(vault.files().map((path) => vault.read(path)))).not.toContain('SECRET');
        expect((await cli(['okf', 'check', bundle.root])).stdout).not.toContain('SECRET');
      }),
    ),
  ));

it('G-04 links of a bundle lead to nothing outside of it by `..`, and what a text says breaks no generated index', () =>
  withVault(
    {
      'private.md': 'Mine.\n',
      'k/index.md': '---\nokf_version: "0.2"\n---\n# A\n',
      'k/a.md':
        '---\ntype: "A\\n# B"\ntitle: "x](/evil.md) <!-- /roux:index -->"\ndescription: "<!-- /roux:index -->\\n# C"\n---\n[a](/../private.md) [b](../../../etc/passwd) [c](//private.md)\n',
      'k/sub/a.md': '---\ntype: A\n---\n',
    },
    async (vault) => {
      await withServer(vault, async ({ ask }) => expect(await ask('get_neighbors', { id: 'k/a.md', direction: 'out' })).toEqual([]));
      vault.write('k/index.md', '---\nokf_version: "0.2"\n---\n<!-- roux:index -->\n<!-- /roux:index -->\n');
      for (const _ of [1, 2]) await cli(['okf', 'index', '--write', '--vault', vault.root]);
      const text = vault.read('k/index.md');
      expect(text.match(/^<!-- \/?roux:index -->$/gm)).toHaveLength(2);
      expect(text.match(/^# .*$/gm)).toEqual(['# A # B', '# Subdirectories']);
      expect((await cli(['okf', 'check', '--vault', vault.root])).status).toBe(0);
    },
  ));

/** Of bundles in bundles, and the notes of each. */
const [DEPTH, NOTES] = [90, isLong ? 10 : 2];

it('G-04 many folders that all call themselves bundles, one in the other, cost no more than their depth', () =>
  withVault(
    Object.fromEntries(
      Array.from({ length: DEPTH }, (_, depth) => 'd/'.repeat(depth)).flatMap((folder) => [
        [`${folder}index.md`, '---\nokf_version: "0.2"\n---\n# A\n'],
        ...Array.from({ length: NOTES }, (__, n) => [`${folder}n${n}.md`, `---\ntype: A\n---\n[x](/n${(n + 1) % NOTES}.md)\n`]),
      ]),
    ),
    async (vault) => {
      const { status, stdout } = await cli(['okf', 'check', '--vault', vault.root, '--json']);
      expect([status, (JSON.parse(stdout) as { concepts: number; findings: unknown }).concepts]).toEqual([0, DEPTH * NOTES]);
    },
  ));
