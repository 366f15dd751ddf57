import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scopeVault } from '../../../src/vault/scope/scope-vault.ts';
import { listNowhere } from '../../../src/ops/names/nowhere.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import { withOutside } from '../../trust/with-outside.ts';

/** The messages of the links that `roux doctor` lists. */
async function linkFindings(root: string): Promise<readonly string[]> {
  const { stdout } = await cli(['doctor', '--json', '--vault', root]);
  const { findings } = JSON.parse(stdout) as { findings: { kind: string; message: string }[] };
  return findings.filter(({ kind }) => /link|heading/.test(kind)).map(({ message }) => message);
}

describe.skipIf(!hasGit)('G-02 links of notes beside code', () => {
  it('G-02 a Markdown link to what is there and no note is no finding: folders, hidden files, files beside the vault', () =>
    withGitVault(
      {
        'CONTRIBUTING.md': '',
        'src/login.ts': '',
        '.agents/rules.md': '',
        'docs/area/guide.md': [
          '[rules](../../CONTRIBUTING.md) [code](../../src/login.ts) [folder](../../src) [hidden](/.agents/rules.md) [area](/area/)',
          '[gone](../../GONE.md) [beyond](../../../../etc) [root](/etc/passwd)',
          '[[src]] [[CONTRIBUTING]]',
        ].join('\n'),
      },
      async (vault) => {
        const expected = ['../../../../etc', '../../GONE.md', '/etc/passwd', 'CONTRIBUTING', 'src'].map(
          (name) => `[[${name}]] leads nowhere`,
        );
        expect([...(await linkFindings(vault.path('docs')))].sort()).toEqual(expected);
        await withServer(openTestVault(vault.path('docs')), async ({ ask }) => {
          expect((await ask('list_nodes', { ghosts: true })).total).toBe(5);
          expect((await ask('vault_overview', {})).attention?.unresolved).toBe(5);
        });
      },
    ));

  it('G-02 what a link of the file system names outside of the repository is not looked for', () =>
    withOutside({ 'a.md': '[there](out/secret.txt) [folder](out)' }, async (vault, outside) => {
      outside.write('secret.txt', '');
      symlinkSync(outside.root, vault.path('out'));
      expect(await linkFindings(vault.root)).toEqual(['[[out]] leads nowhere', '[[out/secret.txt]] leads nowhere']);
    }));

  it('V-04 a view of some folders does not tell what is in others', () =>
    withVault({ 'open/a.md': '[x](../private/.b) [y](../private/.c)', 'private/.b': '' }, ({ root }) =>
      withOpen(root, async (vault) => {
        const view = scopeVault(vault, ['open']);
        await view.health.ready;
        expect(listNowhere(vault).map(({ linkpath }) => linkpath)).toEqual(['../private/.c']);
        expect(listNowhere(view).map(({ linkpath }) => linkpath)).toEqual(['../private/.b', '../private/.c']);
      }),
    ));

  it('G-02 a Markdown link that names its file from where it stands is not in doubt, and ids given in headings are found', () =>
    withGitVault(
      {
        'docs/index.md': '# Install {#setup}\n\n## Rules of `a` [rules-a]\n',
        'docs/a.md': '[i](index.md) [i](index.md#setup) [i](./index.md#rules-a) [i](./index.md#rules-b)',
        'docs/deep/index.md': '',
      },
      async (vault) => {
        expect(await linkFindings(vault.root)).toEqual(['[[./index.md#rules-b]] leads to no heading of docs/index.md']);
      },
    ));
});
