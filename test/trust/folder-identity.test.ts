import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderKey } from '../../src/system/folder-key.ts';
import { cli } from '../support/program/cli.ts';
import { leftFor, post, withServe } from '../support/program/http-server.ts';
import { withVault } from '../support/vault.ts';
import { addToken } from './scope/scoped-vault.ts';

const session = { path: '/api/session', method: 'GET', body: '' };
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function names(root: string): Promise<readonly string[]> {
  const { stdout } = await cli(['token', '--json', '--vault', root]);
  return (JSON.parse(stdout) as { tokens: readonly { name: string }[] }).tokens.map(({ name }) => name);
}

describe('H-22 what belongs to a vault’s folder', () => {
  it('H-22 tokens open no other vault at the same path, and go with the folder when it is moved', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const token = await addToken(vault, 'reader', 'read', []);
      let owners = '';
      await withServe(
        vault,
        [],
        async ({ port }) => {
          owners = leftFor(vault, 'token')?.trim() ?? '';
          expect(owners).not.toBe('');
          for (const text of [token, owners]) expect((await post(port, { ...session, ...bearing(text) })).status).toBe(200);
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
      const moved = `${vault.root}-moved`;
      renameSync(vault.root, moved);
      try {
        mkdirSync(vault.root);
        writeFileSync(join(vault.root, 'other.md'), 'Other\n');
        expect(await names(vault.root)).toEqual([]);
        await withServe(
          vault,
          [],
          async ({ port }) => {
            for (const text of [token, owners]) expect((await post(port, { ...session, ...bearing(text) })).status).toBe(401);
          },
          { ROUX_HTTP_AUTH: 'token' },
        );
        expect(await names(moved)).toEqual(['reader']);
      } finally {
        rmSync(moved, { recursive: true, force: true });
      }
    }));

  it('H-22 tokens do not open another vault that takes the place of theirs while a server runs, and open theirs again when it is back', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const token = await addToken(vault, 'reader', 'read', []);
      const moved = `${vault.root}-moved`;
      await withServe(
        vault,
        [],
        async ({ port }) => {
          const owners = leftFor(vault, 'token')?.trim() ?? '';
          const statuses = async (): Promise<readonly number[]> =>
            Promise.all([token, owners].map(async (text) => (await post(port, { ...session, ...bearing(text) })).status));
          expect(await statuses()).toEqual([200, 200]);
          renameSync(vault.root, moved);
          try {
            mkdirSync(vault.root);
            writeFileSync(join(vault.root, 'other.md'), 'Other\n');
            expect(await statuses()).toEqual([401, 401]);
          } finally {
            rmSync(vault.root, { recursive: true, force: true });
            renameSync(moved, vault.root);
          }
          expect(await statuses()).toEqual([200, 200]);
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));

  it('H-22 what an earlier version named by the path is taken over once', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      await addToken(vault, 'reader', 'read', []);
      const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers');
      const now = join(folder, `${folderKey(vault.root)}.tokens`);
      const former = join(folder, `${createHash('sha256').update(vault.root).digest('hex').slice(0, 32)}.tokens`);
      expect(existsSync(now)).toBe(true);
      renameSync(now, former);
      expect(await names(vault.root)).toEqual(['reader']);
      expect([existsSync(now), existsSync(former)]).toEqual([true, false]);
    }));
});
