import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scopeVault } from '../../../src/vault/scope/scope-vault.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { choiceOf, hashingEmbedder } from '../../support/meaning/hashing-embedder.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const NOTES = {
  'open/roof.md': 'The roof of the greenhouse leaks.\n',
  'open/soup.md': 'Onion soup needs patience.\n',
  'private/rain.md': 'Rain falls on the roof of the greenhouse.\n',
  'private/leak.md': 'The greenhouse leaks on the roof.\n',
};

const meta = { operation: 'test', agent: 'test' };

/** The view of the folder `open`, complete. */
async function openScope(vault: Vault): Promise<Vault> {
  const scope = scopeVault(vault, ['open']);
  await scope.health.ready;
  return scope;
}

describe('V-04 a vault as who sees a folder has it', () => {
  it('is one for each list of folders, kept in step, and closed with the vault', () =>
    withVault(NOTES, async (files) => {
      const closed: string[] = [];
      const make = (of: Vault) => ({ size: of.graph.size, close: () => void closed.push(`${of.graph.size}`) });
      await withOpen(files.root, async (vault) => {
        const scope = await openScope(vault);
        expect(scopeVault(vault, ['open/'])).toBe(scope);
        expect(scopeVault(vault, ['private'])).not.toBe(scope);
        expect(scope.derived(make).size).toBe(2);
        expect(vault.derived(make).size).toBe(4);
        const told: (readonly string[])[] = [];
        scope.notes.onChange((paths) => told.push(paths));
        for (const path of ['private/new.md', 'open/new.md', 'open/dot.png']) files.write(path, 'x');
        await vault.refresh('strict');
        expect(told.flat().sort()).toEqual(['open/dot.png', 'open/new.md']);
        expect([scope.graph.size, [...scope.graph.attachments()]]).toEqual([3, ['open/dot.png']]);
        expect(scope.settings.isHidden('open/new.md')).toBe(false);
        for (const path of ['private/rain.md', '.obsidian/app.json', 'open/../private/rain.md'])
          expect([
            await scope.notes.read(path),
            scope.notes.readUnstable(path),
            scope.notes.readTextUnstable(path as never),
            scope.notes.timesOf(path),
            scope.notes.readAttachment(path),
          ]).toEqual(Array.from({ length: 5 }, () => null));
        expect([scope.notes.isFolder('private'), scope.notes.isFolder('open')]).toEqual([false, true]);
      });
      expect(closed.sort()).toEqual(['3', '6']);
    }));

  it('finds by meaning what is inside, and counts that alone', () =>
    withVault(NOTES, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          const scope = await openScope(vault);
          await waitFor(() => vault.search.embeddings.status().notes.embedded === 4, { what: 'embedding' });
          expect(scope.search.embeddings.status()).toMatchObject({
            state: 'ready',
            embedded: 2,
            waiting: 0,
            notes: { embedded: 2, all: 2 },
          });
          for (const mode of ['semantic', 'hybrid', 'auto'] as const) {
            const { hits, total, warnings } = await scope.search.search({
              query: 'leaking greenhouse roof',
              mode,
              limit: 10,
              snippetLength: 100,
            });
            expect(hits.map(({ path }) => path)[0]).toBe('open/roof.md');
            expect(hits.every(({ path }) => path.startsWith('open/'))).toBe(true);
            expect(total).toBeLessThanOrEqual(2);
            expect(warnings.join()).not.toMatch(/4|3/);
          }
          expect(await scope.search.embeddings.getNoteVector('private/rain.md' as never)).toBe(null);
          expect(await scope.search.embeddings.getNoteVector('open/roof.md' as never)).not.toBe(null);
          // A space of the same name is another one.
          vault.search.embeddings.collection('facts').set('private fact', 'greenhouse roof');
          await vault.search.embeddings.collection('facts').whenSettled('private fact');
          const question = (await scope.search.embeddings.embedQuery('greenhouse roof'))!;
          expect(vault.search.embeddings.collection('facts').findNearest(question, { limit: 5 })).toHaveLength(1);
          expect(scope.search.embeddings.collection('facts').findNearest(question, { limit: 5 })).toEqual([]);
        },
        { embedding: choiceOf(hashingEmbedder()) },
      ),
    ));

  it('a word that stands outside only is one that nobody wrote: words spelt alike are found', () =>
    withVault({ 'open/a.md': 'greenhouse\n', 'private/b.md': 'grenhouse\n' }, (files) =>
      withOpen(files.root, async (vault) => {
        const scope = await openScope(vault);
        const search = (of: Vault, query: string) => of.search.search({ query, mode: 'keyword', limit: 10, snippetLength: 0 });
        const find = async (of: Vault, query: string) => {
          await waitFor(async () => (await search(of, query)).by === 'index');
          return (await search(of, query)).hits.map(({ path }) => path);
        };
        expect(await find(vault, 'grenhouse')).toEqual(['private/b.md']);
        expect(await find(scope, 'grenhouse')).toEqual(['open/a.md']);
      }),
    ));

  it('shows what a link of the owner leads to, and writes nothing through it', () =>
    withVault(NOTES, async (files) => {
      symlinkSync('../private/rain.md', files.path('open/link.md'));
      await withOpen(files.root, async (vault) => {
        const scope = await openScope(vault);
        expect((await scope.notes.read('open/link.md'))?.note.text).toBe(NOTES['private/rain.md']);
        const change = { kind: 'change' as const, path: 'open/link.md' as never, changes: [{ op: 'body' as const, text: 'Mine.\n' }] };
        await expect(scope.writes.write(meta, () => ({ files: [change] }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
        expect(files.read('private/rain.md')).toBe(NOTES['private/rain.md']);
      });
    }));

  it('leaves what concerns the whole vault to who sees all of it', () =>
    withVault(NOTES, (files) =>
      withOpen(files.root, async (vault) => {
        const scope = await openScope(vault);
        for (const call of [
          () => scope.health.verify({ rebuild: false }),
          () => scope.health.acceptDeletions(),
          () => scope.writes.completeWrite(meta, 'x'),
          () => scope.history.review({ self: 'x' }),
          () => scope.history.acceptReview(1),
          async () => scope.health.sizes(),
          () => scope.writes.undo(meta, { agent: 'x' }),
        ])
          await expect(call()).rejects.toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('whole vault') });
        expect([scope.health.reports, scope.health.warnings()]).toEqual([[], []]);
      }),
    ));
});
