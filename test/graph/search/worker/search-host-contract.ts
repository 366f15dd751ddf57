import { describe, expect, it } from 'vitest';
import type { SearchHost } from '../../../../src/graph/search/worker/search-host.ts';
import { packNotes } from '../../../../src/graph/search/worker/search-snapshot.ts';
import { document, words } from '../inverted/text-index-contract.ts';

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
        const saving = host.save(packNotes({ paths: [], hashes: [], keys: [] }));
        expect(isDone).toBe(false);
        await sending;
        expect(await keys(host, 'gull')).toHaveLength(300);
        expect(await saving).not.toBeNull();
      }));

    it('loads what another one saved', () =>
      withHost(async (host) => {
        await host.put([document(4, { title: 'heron' }), document(9, { body: 'gull' })]);
        const notes = { paths: ['a.md', 'ü/b.md'], hashes: ['00', 'ff'], keys: [4, 9] };
        const bytes = Buffer.concat((await host.save(packNotes(notes))) ?? []);
        expect(bytes.length).toBeGreaterThan(0);
        await withHost(async (other) => {
          expect(await other.load(bytes)).toEqual(notes);
          expect(await keys(other, 'heron')).toEqual([4]);
          await other.put([document(9, { body: 'heron' })]);
          expect(await keys(other, 'heron')).toEqual([4, 9]);
        });
      }));

    it('takes no bytes that are damaged', () =>
      withHost(async (host) => {
        await host.put([document(4, { title: 'heron' })]);
        const bytes = new Uint8Array(Buffer.concat((await host.save(packNotes({ paths: ['a.md'], hashes: ['00'], keys: [4] }))) ?? []));
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
