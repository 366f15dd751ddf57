import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddingServer } from '../../support/meaning/embedding-server.ts';
import type { EmbeddingServer } from '../../support/meaning/embedding-server.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = {
  'soup.md': 'Onion soup needs patience.\n',
  'roof.md': `${'filler words at the beginning '.repeat(60)}\n\n# Late\n\nThe roof of the greenhouse leaks in every storm of the autumn.\n`,
};

const PASSAGES = 6;
const QUERY = 'storm over the greenhouse';

describe.skipIf(!hasPostgres)('vectors of a shared vault', () => {
  const store = useStore();
  let embedder: EmbeddingServer;
  beforeAll(async () => void (embedder = await openEmbeddingServer()));
  afterAll(() => embedder.close());

  const countStored = async (): Promise<number> =>
    Number((await store.cluster.sql<{ count: string }>('SELECT count(*) FROM roux.vector', 'team'))[0]?.count);

  /** The endpoint, with a key that says which machine asks. */
  const envOf = (key: string) => ({
    ROUX_EMBEDDINGS: 'remote',
    ROUX_EMBED_URL: embedder.url,
    ROUX_EMBED_MODEL: 'hashes',
    ROUX_EMBED_KEY: key,
  });

  interface Embedded {
    /** The passages that the machine itself had embedded. */
    readonly passages: readonly string[];
    /** How many vectors came from the store. */
    readonly fromStore: number;
    readonly log: string;
  }

  const passagesOf = (key: string): readonly string[] => embedder.textsOf(key).filter((text) => text !== QUERY);

  /** Serves a folder until it is embedded, and searches it by meaning. */
  async function serve(home: Home, folder: string, key: string, until: () => Promise<boolean> = async () => true): Promise<Embedded> {
    const server = await openHttpServer(home, [folder], envOf(key));
    const countFromStore = async (): Promise<number> =>
      ((await (await fetch(`${server.url}/health`)).json()) as { meaning: { fromStore: number } }).meaning.fromStore;
    try {
      const fromStore = await waitFor(
        async () => {
          const count = await countFromStore();
          return count + passagesOf(key).length >= PASSAGES && (await until()) ? { count } : null;
        },
        { what: 'embedding' },
      );
      const found = JSON.stringify(await server.call('search', { query: QUERY, mode: 'semantic', limit: 1 }));
      expect(found).toContain('roof.md');
      expect(found).not.toContain('Searched by keyword');
      return { passages: passagesOf(key), fromStore: fromStore.count, log: server.told() };
    } finally {
      await server.stop();
    }
  }

  async function share(home: Home, vault: string): Promise<string> {
    const url = store.url(vault, { password: null });
    const folder = home.folder('notes');
    for (const [path, text] of Object.entries(notes)) folder.write(path, text);
    expect(await home.run(['share', url, 'notes'])).toMatchObject({ status: 0 });
    return url;
  }

  async function clone(home: Home, url: string): Promise<void> {
    expect(await home.run(['clone', url, 'copy'])).toMatchObject({ status: 0 });
  }

  it('R-08 are made by one machine: the other embeds no passage; vectors that cannot be right are not believed, and replaced', () =>
    withHomes({ count: 3, password: PASSWORD }, async (a, b, c) => {
      const url = await share(a, 'team notes');
      const first = await serve(a, 'notes', 'first', async () => (await countStored()) === PASSAGES);
      expect(first.passages).toHaveLength(PASSAGES);
      expect(first.fromStore).toBe(0);

      await clone(b, url);
      const second = await serve(b, 'copy', 'second');
      expect(second.passages).toEqual([]);
      expect(second.fromStore).toBe(PASSAGES);

      const good = await store.cluster.sql('SELECT key, bytes FROM roux.vector ORDER BY key', 'team');
      // No numbers, another length, another model.
      await store.cluster.sql(
        `UPDATE roux.vector SET bytes = decode(repeat('0000c07f', 64), 'hex');
         UPDATE roux.vector SET bytes = '\\x00' WHERE key = (SELECT min(key) FROM roux.vector);
         UPDATE roux.vector SET embedder = '\\x00' WHERE key = (SELECT max(key) FROM roux.vector)`,
        'team',
      );
      await clone(c, url);
      const third = await serve(c, 'copy', 'third', async () => (await countStored()) > good.length);
      expect(third.passages.toSorted()).toEqual(first.passages.toSorted());
      expect(third.fromStore).toBe(0);
      expect(await store.cluster.sql(`SELECT key, bytes FROM roux.vector WHERE embedder <> '\\x00' ORDER BY key`, 'team')).toEqual(good);
    }));

  it('R-08 are embedded by each machine where the store has no part in it, which is said', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const url = await share(a, 'alone');
      await clone(b, url);
      await store.cluster.stop('fast');
      try {
        const away = await serve(b, 'copy', 'away');
        expect(away.passages).toHaveLength(PASSAGES);
        expect(away.fromStore).toBe(0);
        expect(away.log).toContain('Vectors are not shared for now');
        const doctor = await b.run(['doctor', '--vault', 'copy'], envOf('away'));
        expect(doctor.stderr).toMatch(/Embedded: 2 of 2 notes.*; vectors are not shared: The store .* cannot be reached now/);
      } finally {
        await store.cluster.start();
      }
      // What was embedded meanwhile comes into the store with the next start.
      await store.cluster.sql('DELETE FROM roux.vector', 'team');
      const server = await openHttpServer(b, ['copy'], envOf('back'));
      await waitFor(async () => (await countStored()) === PASSAGES, { what: 'vectors in the store' });
      await server.stop();
      expect(passagesOf('back')).toEqual([]);
      expect((await b.run(['doctor', '--vault', 'copy'], envOf('back'))).stderr).not.toContain('not shared');
      expect((await serve(a, 'notes', 'other')).fromStore).toBe(PASSAGES);
    }));
});
