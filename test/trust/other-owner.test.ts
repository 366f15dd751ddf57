import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../support/program/cli.ts';
import type { CliResult } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

/** A user without rights; only root may give files away. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const refusal = {
  status: 3,
  stdout: '',
  stderr: expect.stringMatching(/belongs to another user \(uid 65534.*"roux trust".*--allow-other-owner.*ROUX_ALLOW_OTHER_OWNER/),
};
const answer = { status: 0, stderr: '' };

async function withOthers<T>(run: (vault: TestVault) => Promise<T>): Promise<T> {
  return withVault({ 'a.md': 'A\n', '.rouxrc.json': '{}\n' }, (vault) => {
    chownSync(vault.root, NOBODY, NOBODY);
    return run(vault);
  });
}

const list = (vault: TestVault, env: Record<string, string> = {}): Promise<CliResult> => cli(['list', '--vault', vault.root], { env });

describe.runIf(isRoot)('H-23 a vault of another user (skipped where this user is not root, who alone can make one)', () => {
  it('H-23 is opened by no command, and nothing is written into it', () =>
    withOthers(async (vault) => {
      expect(await cliProcess(['list', '--vault', vault.root])).toMatchObject(refusal);
      for (const words of [
        ['mcp', vault.root],
        ['serve', vault.root],
        ['create', 'x', '--vault', vault.root],
        ['doctor', vault.root],
        ['init', vault.root],
      ])
        expect(await cli(words), words.join(' ')).toMatchObject(refusal);
      const store = 'postgres://nobody@127.0.0.1:1/none';
      for (const words of [
        ['share', store, vault.root],
        ['share', '--status', vault.root],
        ['unshare', vault.root],
        ['clone', store, vault.root],
      ])
        expect(await cli(words), words.join(' ')).toMatchObject(refusal);
      const { stdout } = await cli(['list', '--json', '--vault', vault.root]);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'OTHER_OWNER', details: { owner: NOBODY } } });
      expect(await cli(['complete', 'zsh', 'get', '--vault', vault.root, ''])).toMatchObject({ status: 0, stdout: 'words\n' });
      expect([existsSync(vault.path('.roux')), vault.files()]).toEqual([false, ['.rouxrc.json', 'a.md']]);
    }));

  it('H-23 is opened by a flag, by a variable that says yes or names it, and by root for whoever called sudo, as git does', () =>
    withOthers(async (vault) => {
      expect(await cliProcess(['list', '--vault', vault.root, '--allow-other-owner'])).toMatchObject(answer);
      for (const said of ['1', 'true', vault.root, `/nowhere:${vault.root}`])
        expect(await list(vault, { ROUX_ALLOW_OTHER_OWNER: said }), said).toMatchObject(answer);
      for (const said of ['', '0', '/nowhere', `${vault.root}-2`])
        expect(await list(vault, { ROUX_ALLOW_OTHER_OWNER: said }), said).toMatchObject(refusal);
      expect(await list(vault, { ROUX_ALLOW_OTHER_OWNER: 'notes' })).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('absolute'),
      });
      expect(await list(vault, { SUDO_UID: String(NOBODY) })).toMatchObject(answer);
      expect(await list(vault, { SUDO_UID: '1234' })).toMatchObject(refusal);
    }));

  it('H-23 "roux trust" opens it, and its .roux of another user counts like the folder', () =>
    withVault({ 'a.md': 'A\n', '.rouxrc.json': '{}\n' }, async (vault) => {
      mkdirSync(vault.path('.roux'));
      chownSync(vault.path('.roux'), NOBODY, NOBODY);
      expect(await list(vault)).toMatchObject({ ...refusal, stderr: expect.stringContaining(`${vault.path('.roux')} belongs`) });
      expect(await cliProcess(['trust', vault.root])).toMatchObject(answer);
      try {
        expect(await list(vault)).toMatchObject(answer);
      } finally {
        expect(await cli(['trust', '--remove', vault.root])).toMatchObject(answer);
      }
      expect(await list(vault)).toMatchObject(refusal);
    }));

  it('H-23 "roux init" that may work in it makes it no trusted one', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      chownSync(vault.root, NOBODY, NOBODY);
      expect(await cli(['init', vault.root, '--allow-other-owner'])).toMatchObject(answer);
      writeFileSync(vault.path('.rouxrc.json'), '{"repairExternalRenames": "fix"}\n');
      expect((await cli(['doctor', vault.root, '--allow-other-owner'])).stdout).toContain('roux trust');
      expect(await list(vault)).toMatchObject(refusal);
    }));
});
