import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { RouxError } from '../../../src/errors.ts';
import type { EmbedderSource } from '../../../src/ports.ts';
import { choiceOf, hashingEmbedder } from '../../support/meaning/hashing-embedder.ts';
import { withOpen } from '../../support/open.ts';
import { lookAt } from '../../support/outside.ts';
import { withVault } from '../../support/vault.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = {
  'soup.md': 'Onion soup needs patience.\n',
  'roof.md': 'The roof of the greenhouse leaks.\n',
  'long.md': `${'filler words at the beginning '.repeat(60)}\n\n# Late\n\nA walrus sleeps on the beach in the afternoon sun.\n`,
};

const withMeaning = <T>(
  root: string,
  source: EmbedderSource | string,
  run: (vault: CountedVault) => Promise<T>,
  former: readonly EmbedderSource[] = [],
) => withOpen(root, run, { embedding: choiceOf(source, former) });

const embedded = (vault: CountedVault) =>
  waitFor(
    () =>
      vault.search.embeddings.status().waiting === 0 &&
      vault.search.embeddings.status().notes.embedded === 3 &&
      vault.search.embeddings.status(),
    {
      what: 'embedding',
    },
  );

const caches = (root: string): string[] => readdirSync(`${root}/.roux/cache`).filter((name) => name.startsWith('vectors-'));

describe('meaning of a vault', () => {
  it('notes get vectors in the background, beginnings first, and a second start needs none anew', () =>
    withVault(notes, async (files) => {
      const source = hashingEmbedder({ batch: 1 });
      await withMeaning(files.root, source, async (vault) => {
        await embedded(vault);
        expect(new Set(source.passages.slice(0, 3).map((text) => text.split('\n')[0]))).toEqual(new Set(['long', 'roof', 'soup']));
        expect(source.passages.length).toBeGreaterThan(3);
        const vector = await vault.search.embeddings.embedQuery('walrus on the beach');
        const [best] = [...vault.search.embeddings.scoreNotes(vector!)].sort((a, b) => b.score - a.score);
        expect(best?.path).toBe('long.md');
        expect(best?.at).toBeGreaterThan(0);
      });
      const again = hashingEmbedder({ batch: 1 });
      await withMeaning(files.root, again, async (vault) => {
        await embedded(vault);
        expect(again.passages).toEqual([]);
        expect(vault.search.embeddings.scoreNotes((await vault.search.embeddings.embedQuery('soup'))!)).toHaveLength(3);
      });
    }));

  it('only what changed is embedded again: a passage, not its note', () =>
    withVault(notes, async (files) => {
      const source = hashingEmbedder({ batch: 1 });
      await withMeaning(files.root, source, async (vault) => {
        await embedded(vault);
        const before = source.passages.length;
        files.write('long.md', `${notes['long.md']}\n# New\n\nPenguins march across the ice in a very long row today.\n`);
        await waitFor(() => source.passages.some((text) => text.includes('Penguins')));
        await embedded(vault);
        expect(source.passages.length - before).toBeLessThanOrEqual(2);
        files.remove('long.md');
        await waitFor(() => vault.search.embeddings.status().notes.all === 2);
        expect(
          vault.search.embeddings.scoreNotes((await vault.search.embeddings.embedQuery('penguins'))!).map(({ path }) => path),
        ).not.toContain('long.md');
      });
    }));

  it('hidden notes are not embedded', () =>
    withVault({ ...notes, 'secret/x.md': 'hidden text\n', '.rouxrc.json': '{}' }, async (files) => {
      const source = hashingEmbedder();
      await withOpen(
        files.root,
        async (vault) => {
          await embedded(vault);
          expect(source.passages.join()).not.toContain('hidden text');
        },
        {
          embedding: choiceOf(source),
          config: { ...(await import('../../../src/config.ts')).configSchema.parse({ ignore: ['secret/'] }) },
        },
      );
    }));

  it('without an embedder everything says so, and nothing waits', () =>
    withVault(notes, (files) =>
      withMeaning(files.root, 'nobody wanted one', async ({ search: { embeddings: meaning } }) => {
        expect(await meaning.embedQuery('x')).toBeNull();
        expect(meaning.status()).toMatchObject({ provider: 'none', state: 'off', reason: 'nobody wanted one' });
        const space = meaning.collection('facts');
        space.set('a', 'text');
        expect(await space.whenSettled('a')).toBe('unavailable');
        expect(space.has('a')).toBe(false);
      }),
    ));

  it('where nothing may be written, vectors are in memory, and those that are there are used', () =>
    withVault(notes, async (files) => {
      const [first, second] = [hashingEmbedder(), hashingEmbedder()];
      const before = lookAt(files.root);
      const readOnly = (source: EmbedderSource, run: (vault: CountedVault) => Promise<void>): Promise<void> =>
        withOpen(files.root, run, { embedding: choiceOf(source), config: configSchema.parse({ readOnly: true }) });
      await readOnly(first, async (vault) => {
        await embedded(vault);
        expect(vault.search.embeddings.scoreNotes((await vault.search.embeddings.embedQuery('soup'))!)).toHaveLength(3);
      });
      expect(first.passages.length).toBeGreaterThan(3);
      expect(lookAt(files.root)).toEqual(before);
      await withMeaning(files.root, hashingEmbedder(), async (vault) => void (await embedded(vault)));
      await readOnly(second, async (vault) => void (await embedded(vault)));
      expect(second.passages).toEqual([]);
    }));

  it('an embedder that cannot be opened is told, and tried again later', () =>
    withVault(notes, (files) =>
      withMeaning(
        files.root,
        hashingEmbedder({ open: () => Promise.reject(new Error('the weights are damaged')) }),
        async ({ search: { embeddings: meaning } }) => {
          expect(await meaning.embedQuery('x')).toBeNull();
          expect(meaning.status()).toMatchObject({ state: 'failed', reason: 'the weights are damaged' });
          const space = meaning.collection('facts');
          space.set('a', 'text');
          expect(await space.whenSettled('a')).toBe('unavailable');
        },
      ),
    ));

  it('a text that its embedder refuses is failed, and the others of its batch are not', () =>
    withVault({}, (files) =>
      withMeaning(
        files.root,
        hashingEmbedder({
          before(texts) {
            if (texts.some((text) => text.includes('bad'))) throw new RouxError('INVALID_PARAMS', 'refused');
          },
        }),
        async ({ search: { embeddings: meaning } }) => {
          const space = meaning.collection('facts');
          for (const text of ['one', 'bad', 'two']) space.set(text, `${text} text`);
          expect(await Promise.all(['one', 'bad', 'two'].map((key) => space.whenSettled(key)))).toEqual(['embedded', 'failed', 'embedded']);
          expect(await space.whenSettled('bad')).toBe('failed');
          expect(await space.whenSettled('never set')).toBe('failed');
        },
      ),
    ));

  it('a section that its embedder refuses waits no more, and the others of its note are embedded', () =>
    withVault(notes, (files) =>
      withMeaning(
        files.root,
        hashingEmbedder({
          before(texts) {
            if (texts.some((text) => text.includes('walrus'))) throw new RouxError('INVALID_PARAMS', 'refused');
          },
        }),
        async (vault) => {
          await embedded(vault);
          const vector = await vault.search.embeddings.embedQuery('filler words');
          const long = vault.search.embeddings.scoreNotes(vector!).find(({ path }) => path === 'long.md');
          expect(long?.passages).toBe((long?.embedded ?? 0) + 1);
        },
      ),
    ));

  it('texts of a space share a vector where they are alike, are let go, and wait no longer than their signal', () =>
    withVault({}, async (files) => {
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => void (open = resolve));
      const source = hashingEmbedder({ before: (texts) => (texts.includes('slow') ? gate : undefined) });
      await withMeaning(files.root, source, async ({ search: { embeddings: meaning } }) => {
        const space = meaning.collection('facts');
        space.set('a', 'the roof leaks');
        space.set('b', 'the roof leaks');
        space.set('c', 'soup');
        expect(await space.whenSettled('a')).toBe('embedded');
        await space.whenSettled('c');
        expect(source.passages.filter((text) => text === 'the roof leaks')).toHaveLength(1);
        const vector = (await meaning.embedQuery('roof'))!;
        expect(space.findNearest(vector, { limit: 5 }).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
        expect(space.findNearest(vector, { limit: 1, accept: (key) => key !== 'a' }).map(({ key }) => key)).toEqual(['b']);
        space.delete('a');
        expect(space.findNearest(vector, { limit: 5 }).map(({ key }) => key)).toEqual(['b', 'c']);
        expect(space.findNearest(Float32Array.of(1, 2), { limit: 5 })).toEqual([]);
        space.set('d', 'slow');
        const stop = new AbortController();
        const waiting = space.whenSettled('d', stop.signal);
        stop.abort(new Error('enough'));
        await expect(waiting).rejects.toThrow('enough');
        open();
        expect(await space.whenSettled('d')).toBe('embedded');
      });
    }));

  it('a question of a megabyte is asked by its beginning, an empty one not at all', () =>
    withVault(notes, async (files) => {
      const source = hashingEmbedder();
      await withMeaning(files.root, source, async ({ search: { embeddings: meaning } }) => {
        expect(await meaning.embedQuery('  ')).toBeNull();
        expect(await meaning.embedQuery('x'.repeat(1_000_000))).not.toBeNull();
        expect(source.queries.map(({ length }) => length)).toEqual([2000]);
      });
    }));

  it('a question that is not answered in time is null', () =>
    withVault(notes, (files) =>
      withMeaning(
        files.root,
        hashingEmbedder({ before: (_, kind) => (kind === 'query' ? new Promise(() => undefined) : undefined) }),
        async ({ search: { embeddings: meaning } }) => {
          expect(await meaning.embedQuery('x', AbortSignal.timeout(20))).toBeNull();
          expect(await meaning.embedQuery('x', AbortSignal.abort())).toBeNull();
        },
      ),
    ));

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
    ['with a bit turned', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 9 ? byte ^ 1 : byte)))],
    [
      'written elsewhere',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"code":"[0-9a-f]{8}/, '"code":"00000000'), 'latin1'),
    ],
    ['empty', () => Buffer.alloc(0)],
  ])('vectors in a file that is %s are made anew', (_, damage) =>
    withVault(notes, async (files) => {
      await withMeaning(files.root, hashingEmbedder(), embedded);
      const [name = ''] = caches(files.root);
      const path = `${files.root}/.roux/cache/${name}`;
      writeFileSync(path, damage(readFileSync(path)));
      const source = hashingEmbedder();
      await withMeaning(files.root, source, async (vault) => {
        await embedded(vault);
        expect(source.passages.length).toBeGreaterThanOrEqual(3);
      });
      const whole = hashingEmbedder();
      await withMeaning(files.root, whole, embedded);
      expect(whole.passages).toEqual([]);
    }),
  );

  it('of another embedder answer until its own are there, and are never compared with them', () =>
    withVault(notes, async (files) => {
      const old = hashingEmbedder({ id: 'old', dims: 32 });
      await withMeaning(files.root, old, embedded);
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => void (open = resolve));
      const next = hashingEmbedder({ id: 'next', dims: 64, before: (_, kind) => (kind !== 'query' ? gate : undefined) });
      await withMeaning(
        files.root,
        next,
        async (vault) => {
          const vector = await vault.search.embeddings.embedQuery('greenhouse roof');
          expect(vector).toHaveLength(32);
          expect(vault.search.embeddings.scoreNotes(vector!)).toHaveLength(3);
          expect([old.queries, next.queries]).toEqual([['greenhouse roof'], []]);
          open();
          await embedded(vault);
          const later = await vault.search.embeddings.embedQuery('greenhouse roof');
          expect(later).toHaveLength(64);
          expect(vault.search.embeddings.scoreNotes(later!)).toHaveLength(3);
          // A question that was embedded before the exchange is still compared with what it can be compared with.
          expect(vault.search.embeddings.scoreNotes(vector!)).toHaveLength(3);
          await waitFor(() => caches(files.root).length === 1, { what: 'the old vectors to be gone' });
        },
        [old],
      );
    }));

  it('of an embedder that gives another length than before are made anew', () =>
    withVault(notes, async (files) => {
      await withMeaning(files.root, hashingEmbedder({ dims: 32 }), embedded);
      const source = hashingEmbedder({ dims: 48 });
      await withMeaning(files.root, source, async (vault) => {
        // How long its vectors are is known when it is first needed.
        expect(await vault.search.embeddings.embedQuery('soup')).toHaveLength(48);
        await waitFor(() => source.passages.length >= 3);
        await embedded(vault);
        expect(vault.search.embeddings.scoreNotes((await vault.search.embeddings.embedQuery('soup'))!)).toHaveLength(3);
      });
    }));

  it('go on when the vault is deleted meanwhile, and nothing is thrown', () =>
    withVault(notes, (files) =>
      withMeaning(files.root, hashingEmbedder(), async (vault) => {
        await embedded(vault);
        files.remove('');
        expect(await vault.search.embeddings.embedQuery('soup')).not.toBeNull();
        vault.search.embeddings.collection('facts').set('a', 'x');
        expect(await vault.search.embeddings.collection('facts').whenSettled('a')).toBe('embedded');
      }),
    ));
});
