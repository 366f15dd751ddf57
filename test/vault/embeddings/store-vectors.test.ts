import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { StoreVectors } from '../../../src/vault/embeddings/store-vectors.ts';
import { VectorIndex } from '../../../src/vault/embeddings/vector-index.ts';
import { choiceOf, hashed, hashingEmbedder } from '../../support/meaning/hashing-embedder.ts';
import type { HashingSource } from '../../support/meaning/hashing-embedder.ts';
import { withOpen } from '../../support/open.ts';
import { Cut, simulatedStore } from '../../support/simulated/simulated-store.ts';
import type { SimulatedStore } from '../../support/simulated/simulated-store.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = {
  'soup.md': 'Onion soup needs patience.\n',
  'roof.md': `${'filler words at the beginning '.repeat(60)}\n\n# Late\n\nThe roof of the greenhouse leaks in every storm of the autumn.\n`,
};

/** Runs with a folder of these notes that follows the store, until all of them are embedded. */
const onMachine = <T>(
  { store, machine, source, files = notes }: { store: SimulatedStore; machine: string; source: HashingSource; files?: object },
  run: (vault: CountedVault) => T | Promise<T>,
): Promise<T> =>
  withVault({ ...files }, ({ root }) =>
    withOpen(
      root,
      async (vault) => {
        const { embeddings } = vault.search;
        await waitFor(() => embeddings.status().waiting === 0 && embeddings.status().notes.all > 0, { what: 'embedding' });
        return run(vault);
      },
      { embedding: choiceOf(source), share: { machine, copy: machine, connect: () => store.connect(machine) } },
    ),
  );

/** What a machine with nothing embedded has to embed then. */
async function embeddedBy(store: SimulatedStore, machine: string): Promise<{ readonly passages: number; readonly found: number }> {
  const source = hashingEmbedder();
  return onMachine({ store, machine, source }, async ({ search }) => {
    expect(search.embeddings.scoreNotes((await search.embeddings.embedQuery('roof of the greenhouse'))!)).toHaveLength(2);
    return { passages: source.passages.length, found: search.embeddings.status().store?.found ?? -1 };
  });
}

/** A store in which a first machine has put the vectors of its notes. */
async function filled(): Promise<{ readonly store: SimulatedStore; readonly count: number }> {
  const store = simulatedStore();
  const source = hashingEmbedder();
  await onMachine({ store, machine: 'first', source }, () =>
    waitFor(() => store.state.vectors.size === source.passages.length, { what: 'all vectors in the store' }),
  );
  return { store, count: source.passages.length };
}

describe('R-08 vectors of a shared vault', () => {
  it('are embedded by one machine; another finds them in the store, by the hashes of their texts', async () => {
    const { store, count } = await filled();
    expect(count).toBeGreaterThan(2);
    expect([...store.state.vectors.keys()].join(' ')).not.toMatch(/soup|roof/);
    expect(await embeddedBy(store, 'second')).toEqual({ passages: 0, found: count });
  });

  it('are offered too where they were embedded before the vault was shared', () =>
    withVault(notes, async ({ root }) => {
      const [store, source] = [simulatedStore(), hashingEmbedder()];
      const embedding = choiceOf(source);
      await withOpen(
        root,
        ({ search }) => waitFor(() => search.embeddings.status().notes.embedded === 2 && search.embeddings.status().waiting === 0),
        { embedding },
      );
      const share = { machine: 'a', copy: 'a', connect: () => store.connect('a') };
      await withOpen(root, () => waitFor(() => store.state.vectors.size === source.passages.length), { embedding, share });
      expect(await embeddedBy(store, 'second')).toMatchObject({ passages: 0 });
    }));

  it.each([
    ['another length', () => Buffer.alloc(63 * 4, 1)],
    ['no numbers', () => Buffer.from(new Float32Array(64).fill(Number.NaN).buffer)],
    ['no unit length', () => Buffer.from(new Float32Array(64).fill(1).buffer)],
    ['nothing in them', () => Buffer.alloc(0)],
  ])('are not believed with %s: the machine embeds, and puts its own in their place', async (_, wrong) => {
    const { store, count } = await filled();
    const good = new Map(store.state.vectors);
    for (const key of good.keys()) store.state.vectors.set(key, wrong());
    expect(await embeddedBy(store, 'second')).toEqual({ passages: count, found: 0 });
    expect(store.state.vectors).toEqual(good);
  });

  it('of another model are none of this one', async () => {
    const { store, count } = await filled();
    const source = hashingEmbedder({ id: 'another' });
    await onMachine({ store, machine: 'second', source }, () => expect(source.passages).toHaveLength(count));
  });

  it('are embedded on the machine itself while the store is away, which it says', async () => {
    const { store, count } = await filled();
    store.onCall(({ machine }) => {
      if (machine === 'second') throw new Cut();
    });
    const source = hashingEmbedder();
    await onMachine({ store, machine: 'second', source }, ({ search }) => {
      expect(source.passages).toHaveLength(count);
      expect(search.embeddings.status().store).toEqual({ found: 0, problem: 'The store cannot be reached.' });
    });
  });

  it('are not asked for again for a while after a failure, nor those that were missing a moment ago', async () => {
    let [now, isAway] = [0, true];
    const asked: string[] = [];
    const stored = new Map<string, Uint8Array>();
    const ports = { ...testPorts(), clock: { now: () => now } };
    const vectors = new StoreVectors(
      {
        async get(embedder, keys) {
          asked.push(`${embedder} ${keys.join(' ')}`);
          if (isAway) throw new RouxError('STORE_UNAVAILABLE', 'away');
          return new Map();
        },
        findMissing: async (_, keys) => keys.filter((key) => !stored.has(key)),
        async put(_, added) {
          for (const [key, bytes] of added) stored.set(key, bytes);
        },
      },
      { ports, canSave: true },
    );
    const embedder = { id: 'e', dims: 4 };
    expect(vectors.mayHave('a')).toBe(true);
    expect(await vectors.find(embedder, ['a'])).toEqual(new Map());
    expect([vectors.mayHave('a'), vectors.mayHave('b'), vectors.status]).toEqual([false, false, { found: 0, problem: 'away' }]);
    const index = new VectorIndex('e', null, () => 'id');
    for (const text of ['a', 'b']) index.add(text, hashed(text, 4));
    vectors.offer(index, ['a']);
    [now, isAway] = [60_000, false];
    expect(vectors.mayHave('a')).toBe(true);
    await vectors.find(embedder, ['a']);
    expect([vectors.mayHave('a'), vectors.mayHave('b'), vectors.status]).toEqual([false, true, { found: 0 }]);
    now += 10_000;
    expect(vectors.mayHave('a')).toBe(true);
    expect(asked).toEqual(['e a', 'e a']);
    // What could not be put there before is offered with all others.
    vectors.offer(index);
    await waitFor(() => stored.size === 2);
    stored.clear();
    vectors.offer(index);
    now += 25 * 60 * 60 * 1000;
    vectors.offer(index);
    await waitFor(() => stored.size === 2);
  });

  it('are taken by a machine that may only read, which adds none', async () => {
    const log: string[] = [];
    let puts = 0;
    const vectors = new StoreVectors(
      {
        get: async () => new Map([['a', Buffer.from(hashed('a', 4).buffer)]]),
        findMissing: async (_, keys) => keys,
        async put() {
          puts += 1;
          throw new RouxError('READ_ONLY', 'may only be read');
        },
      },
      { ports: testPorts(log), canSave: true },
    );
    const index = new VectorIndex('e', null, () => 'id');
    index.add('b', hashed('b', 4));
    vectors.offer(index, ['b']);
    await waitFor(() => puts === 1);
    vectors.offer(index, ['b']);
    expect([...(await vectors.find({ id: 'e', dims: 4 }, ['a', 'b'])).keys()]).toEqual(['a']);
    expect([puts, vectors.status, log]).toEqual([1, { found: 1 }, []]);
  });
});
