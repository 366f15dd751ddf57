import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { withHomes } from '../../support/sharing/home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { repositoryRoot, openTestVault } from '../../support/vault.ts';

/** The five commands of the guide, as their words. */
function commandsOfGuide(): readonly (readonly string[])[] {
  const guide = readFileSync(join(repositoryRoot, 'docs/guide.md'), 'utf8');
  const [, block = ''] = /## One vault on several machines\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => (line.split(' #')[0] ?? '').trim().split(/\s+/));
}

describe.skipIf(!hasPostgres)('the guide', () => {
  const store = useStore();

  it('P-01 its five commands do what they say, as they are written there', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      await store.cluster.sql(`CREATE ROLE me LOGIN PASSWORD '${PASSWORD}'`);
      const env = { PGPORT: String(store.cluster.port) };
      openTestVault(join(home.root, 'notes')).write('a.md', 'A\n');
      const here = (words: readonly string[]) => words.map((word) => word.replace('db.example', '127.0.0.1').replace(/^~/, home.root));
      const [createdb, share, clone, serve, status] = commandsOfGuide();
      expect(createdb).toEqual(['createdb', '-h', 'db.example', '-U', 'me', 'notes']);
      await store.cluster.sql('CREATE DATABASE notes OWNER me');
      for (const command of [share, clone]) {
        const [program, ...words] = command ?? [];
        expect(program).toBe('roux');
        expect(await home.run(here(words), env)).toMatchObject({ status: 0, stderr: '' });
      }
      const [, , ...served] = serve ?? [];
      const server = await openHttpServer(home, here(served), env);
      try {
        expect(await server.call('get_node', { id: 'a' })).toMatchObject({ content: 'A\n' });
        const told = await waitFor(async () => {
          const result = await home.run(here((status ?? []).slice(1)), env);
          return /Follow .*commit/.test(result.stdout) ? result : null;
        });
        expect(told.status).toBe(0);
        expect(told.stdout).toMatch(/^Here +commit 1\nThere +commit 1, 1 file\nWaits +nothing\nFollow +\S+ \(commit 1\)$/m);
      } finally {
        await server.stop();
      }
    }));
});
