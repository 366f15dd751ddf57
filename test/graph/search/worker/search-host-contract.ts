import { describe, expect, it } from 'vitest';
import type { SearchHost, StoredNotes } from '../../../../src/graph/search/worker/search-host.ts';
import { packNotes } from '../../../../src/graph/search/worker/search-snapshot.ts';
import { document, words } from '../inverted/text-index-contract.ts';

/** Returns what a host stores; null if it is of no use. */
async function bytesOf(host: SearchHost, notes: StoredNotes = { paths: [], hashes: [], keys: [] }): Promise<Uint8Array | null> {
  const saving = host.save(packNotes(notes));
  const pieces: Uint8Array[] = [];
  for (;;) {
    const step = await saving.next();
    if (step.done === true) return step.value ? new Uint8Array(Buffer.concat(pieces)) : null;
    pieces.push(step.value.slice());
  }
}

async function keys(host: SearchHost, query: string): Promise<number[]> {
  const { keys: found } = await host.rank(words(query));
  return [...found].sort((a, b) => a - b);
}

/** What every place does where a text index can live. */
export function searchHostContract(name: string, open: () => SearchHost): void {
  async function withHost(use: (host: SearchHost) => Promise<void>): Promise<void> {
    const host = open();
    try {
      await use(host);
    } finally {
      await host.close();
    }
  }

  describe(`${name}`, () => {
    it('ranks over all that was put and removed before, waited for or not', () =>
      withHost(async (host) => {
        const sent = [host.put([document(1, { title: 'heron' }), document(2, { body: 'heron' })]), host.remove([1])];
        expect(await keys(host, 'heron')).toEqual([2]);
        await Promise.all(sent);
        const { keys: found, scores } = await host.rank(words('heron', { without: 'gull' }));
        expect([found.length, scores.length]).toEqual([1, 1]);
      }));

    it('answers while a long batch is being indexed', () =>
      withHost(async (host) => {
        await host.put([document(0, { body: 'heron' })]);
        const batch = Array.from({ length: 300 }, (_, at) => document(at + 1, { body: `gull ${'word '.repeat(1000)}` }));
        let isDone = false;
        const sending = host.put(batch).then(() => (isDone = true));
        const saving = bytesOf(host);
        expect(isDone).toBe(false);
        await sending;
        expect(await keys(host, 'gull')).toHaveLength(300);
        expect(await saving).not.toBeNull();
      }));

    it('loads what another one saved', () =>
      withHost(async (host) => {
        await host.put([document(4, { title: 'heron' }), document(9, { body: 'gull' })]);
        const notes = { paths: ['a.md', 'ü/b.md'], hashes: ['00', 'ff'], keys: [4, 9] };
        const bytes = (await bytesOf(host, notes)) ?? new Uint8Array();
        expect(bytes.length).toBeGreaterThan(0);
        await withHost(async (other) => {
          expect(await other.load(bytes)).toEqual(notes);
          expect(await keys(other, 'heron')).toEqual([4]);
          await other.put([document(9, { body: 'heron' })]);
          expect(await keys(other, 'heron')).toEqual([4, 9]);
        });
      }));

    it('saves in pieces, however much there is', () =>
      withHost(async (host) => {
        const bodies = Array.from({ length: 300 }, (_, at) => Array.from({ length: 1000 }, (__, word) => `w${at}x${word}`).join(' '));
        await host.put(bodies.map((body, at) => document(at, { body })));
        const sizes: number[] = [];
        const saving = host.save(packNotes({ paths: [], hashes: [], keys: [] }));
        for (let step = await saving.next(); step.done !== true; step = await saving.next()) sizes.push(step.value.length);
        expect(sizes.length).toBeGreaterThan(4);
        expect(Math.max(...sizes)).toBeLessThan(1_000_000);
      }));

    it('says that what it saves is of no use when the index changes meanwhile', () =>
      withHost(async (host) => {
        await host.put([document(1, { title: 'heron' }), document(2, { title: 'heron' })]);
        for (const change of [() => host.put([document(2, { title: 'gull' })]), () => host.remove([1])]) {
          const saving = host.save(packNotes({ paths: [], hashes: [], keys: [] }));
          expect((await saving.next()).done).toBe(false);
          const changing = change();
          let step = await saving.next();
          while (step.done !== true) step = await saving.next();
          expect(step.value).toBe(false);
          await changing;
        }
        expect(await bytesOf(host)).not.toBeNull();
      }));

    it('saves all of one index while what removed notes left is cleared', () =>
      withHost(async (host) => {
        const all = Array.from({ length: 1000 }, (_, at) => document(at, { body: `gull ${'word '.repeat(at % 7)} own${at}` }));
        await host.put(all);
        await host.remove(all.slice(0, 500).map(({ key }) => key));
        let bytes = await bytesOf(host);
        while (bytes === null) bytes = await bytesOf(host);
        const saved = bytes;
        await withHost(async (other) => {
          await other.load(saved);
          for (const query of ['gull', 'word', 'own700', 'own300']) expect(await keys(other, query)).toEqual(await keys(host, query));
        });
      }));

    it('takes no bytes that are damaged', () =>
      withHost(async (host) => {
        await host.put([document(4, { title: 'heron' })]);
        const bytes = (await bytesOf(host, { paths: ['a.md'], hashes: ['00'], keys: [4] })) ?? new Uint8Array();
        for (const at of [0, 40, bytes.length - 1]) {
          const damaged = bytes.slice();
          damaged[at] = (damaged[at] ?? 0) ^ 1;
          expect(await host.load(damaged)).toBeNull();
        }
        expect(await host.load(bytes.slice(0, 20))).toBeNull();
        expect(await host.load(new Uint8Array())).toBeNull();
        expect(await keys(host, 'heron')).toEqual([4]);
      }));

    it('refuses work after it was closed', async () => {
      const host = open();
      const waiting = host.put([document(1, { body: 'heron' })]).then(
        () => 'done',
        () => 'refused',
      );
      await host.close();
      expect(['done', 'refused']).toContain(await waiting);
      await expect(host.rank(words('heron'))).rejects.toThrow(/closed|ended/);
    });
  });
}
