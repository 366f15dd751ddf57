import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openInvertedIndex } from '../../../../src/graph/search/inverted/inverted-index.ts';
import type { SearchHost } from '../../../../src/graph/search/worker/search-host.ts';
import { openSearchSlices } from '../../../../src/graph/search/worker/search-slices.ts';
import { openSearchThread } from '../../../../src/graph/search/worker/search-thread.ts';
import { runs } from '../../../support/effort.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { searchOf, shelf } from '../search-of.ts';

/** Slices that count what is put into them. */
function countingHost(put: string[]): () => SearchHost {
  return () => {
    const host = openSearchSlices(openInvertedIndex());
    return {
      ...host,
      put: (documents) => {
        put.push(...documents.map(({ title }) => title));
        return host.put(documents);
      },
    };
  };
}

describe('search that follows the graph', () => {
  for (const [name, host] of [
    ['in slices', () => openSearchSlices(openInvertedIndex())],
    ['in a thread', openSearchThread],
  ] as const) {
    it(`answers from the first moment, and tells how (${name})`, async () => {
      const notes = searchOf({ 'a.md': 'heron', 'b.md': 'gull' }, { host });
      expect([notes.search.state, (await notes.ask('heron')).by]).toEqual(['building', 'scan']);
      await notes.index();
      expect([notes.search.state, (await notes.ask('heron')).by]).toEqual(['ready', 'index']);
      await notes.search.close();
      expect([notes.search.state, (await notes.ask('heron')).by]).toEqual(['off', 'scan']);
      expect(notes.log).toEqual([]);
    });

    it(`sees every change at once (${name})`, async () => {
      const notes = searchOf({ 'a.md': 'heron', 'b.md': 'gull' }, { host });
      await notes.index();
      notes.put('a.md', 'tern');
      notes.put('c.md', 'heron');
      expect(await notes.ask('heron')).toMatchObject({ by: 'index', hits: [{ path: 'c.md' }] });
      notes.remove('c.md');
      expect(await notes.find('heron')).toEqual([]);
      expect(await notes.find('tern')).toEqual(['a.md']);
      notes.put('c.md', 'heron again');
      expect(await notes.find('heron')).toEqual(['c.md']);
      await notes.search.close();
    });
  }

  it('reads the notes while much has changed, and says so', async () => {
    const notes = searchOf({ 'a.md': 'heron' });
    await notes.index();
    for (let at = 0; at < 60; at += 1) notes.put(`many/${at}.md`, `${'word '.repeat(600)}heron`);
    expect(await notes.ask('heron')).toMatchObject({ by: 'scan', total: 61 });
    await waitFor(async () => (await notes.ask('heron')).by === 'index', { what: 'the index' });
    expect((await notes.ask('heron')).total).toBe(61);
    await notes.search.close();
  });

  it('follows changes that come while it is being built', async () => {
    const notes = searchOf(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}.md`, `${'word '.repeat(500)}heron`])));
    notes.search.start();
    notes.put('0.md', 'gull');
    notes.remove('1.md');
    await new Promise((resolve) => setImmediate(resolve));
    notes.put('199.md', 'gull');
    notes.remove('198.md');
    await waitFor(() => notes.search.state === 'ready', { what: 'the index' });
    expect(await notes.ask('heron')).toMatchObject({ by: 'index', total: 196 });
    expect(await notes.find('gull')).toEqual(['0.md', '199.md']);
    await notes.search.close();
  });

  it('stores the index and takes up only what changed since', async () => {
    const snapshot = shelf();
    const before = searchOf({ 'a.md': 'heron', 'b.md': 'gull', 'c.md': 'tern' }, { snapshot });
    await before.index();
    await before.search.save();
    await before.search.close();
    const put: string[] = [];
    const after = searchOf({ 'a.md': 'heron', 'b.md': 'gull and heron', 'd.md': 'heron too' }, { snapshot, host: countingHost(put) });
    await after.index();
    expect(put.sort()).toEqual(['b', 'd']);
    // The first time, as there was none, and now, as it is of other notes.
    expect(snapshot.complaints).toBe(2);
    await after.search.save();
    const again = searchOf({ 'a.md': 'heron', 'b.md': 'gull and heron', 'd.md': 'heron too' }, { snapshot });
    await again.index();
    expect(snapshot.complaints).toBe(2);
    const fresh = searchOf({ 'a.md': 'heron', 'b.md': 'gull and heron', 'd.md': 'heron too' });
    await fresh.index();
    for (const query of ['heron', 'gull', 'tern']) expect(await after.ask(query)).toEqual(await fresh.ask(query));
    await Promise.all([after.search.close(), again.search.close(), fresh.search.close()]);
  });

  it('stores nothing when notes change while it stores, says so, and can do it again', async () => {
    const snapshot = shelf();
    let change: () => void = () => undefined;
    async function* changed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        yield piece;
        change();
      }
    }
    const notes = searchOf(
      { 'a.md': 'heron' },
      { snapshot: { ...snapshot, save: (pieces) => snapshot.save.call(snapshot, changed(pieces)) }, host: openSearchThread },
    );
    await notes.index();
    change = () => {
      notes.put('a.md', 'gull');
      void notes.find('gull');
      change = () => undefined;
    };
    expect(await notes.search.save()).toBe(false);
    expect([snapshot.held, notes.search.state]).toEqual([null, 'ready']);
    expect(await notes.search.save()).toBe(true);
    expect(snapshot.held).not.toBeNull();
    expect(notes.log).toEqual([]);
    await notes.search.close();
  });

  it('builds anew when the stored index is damaged, and when it cannot be read', async () => {
    const snapshot = shelf();
    const first = searchOf({ 'a.md': 'heron' }, { snapshot });
    await first.index();
    await first.search.save();
    const bytes = snapshot.held ?? new Uint8Array();
    expect(bytes.length).toBeGreaterThan(0);
    const stores = [
      shelf(bytes.slice(0, -1)),
      shelf(bytes.map((byte, at) => (at === bytes.length - 3 ? byte ^ 255 : byte))),
      { ...shelf(), load: () => Promise.reject(new Error('no access')) },
    ];
    for (const store of stores) {
      const put: string[] = [];
      const notes = searchOf({ 'a.md': 'heron' }, { snapshot: store, host: countingHost(put) });
      await notes.index();
      expect([put, store.complaints]).toEqual([['a'], 1]);
      expect(await notes.find('heron')).toEqual(['a.md']);
      await notes.search.close();
    }
    await first.search.close();
  });

  it('says that it could not store, and goes on', async () => {
    const notes = searchOf({ 'a.md': 'heron' }, { snapshot: { ...shelf(), save: () => Promise.reject(new Error('disk full')) } });
    await notes.index();
    await notes.search.save();
    expect(notes.log).toEqual([expect.stringContaining('disk full')]);
    expect((await notes.ask('heron')).by).toBe('index');
    await notes.search.close();
  });

  it('reads the notes from then on when the index breaks, and warns once', async () => {
    let isBroken = false;
    const host = (): SearchHost => {
      const whole = openSearchSlices(openInvertedIndex());
      return { ...whole, rank: (query) => (isBroken ? Promise.reject(new Error('the thread ended')) : whole.rank(query)) };
    };
    const notes = searchOf({ 'a.md': 'heron', 'b.md': 'gull' }, { host });
    await notes.index();
    isBroken = true;
    expect(await notes.ask('heron')).toMatchObject({ by: 'scan', total: 1 });
    notes.put('b.md', 'heron');
    expect(await notes.ask('heron')).toMatchObject({ by: 'scan', total: 2 });
    expect(notes.search.state).toBe('off');
    expect(notes.log).toEqual([expect.stringContaining('the thread ended')]);
    await notes.search.close();
  });

  it('reads the notes from then on when the index cannot be opened at all', async () => {
    const notes = searchOf(
      { 'a.md': 'heron' },
      {
        host: () => {
          throw new Error('no threads here');
        },
      },
    );
    notes.search.start();
    await waitFor(() => notes.search.state === 'off', { what: 'the failure' });
    expect(await notes.ask('heron')).toMatchObject({ by: 'scan', total: 1 });
    expect(notes.log).toEqual([expect.stringContaining('no threads here')]);
  });

  it('gives the same notes by index and by scan for any words', async () => {
    const vocabulary = ['heron', 'herons', 'Gull', 'sea_gull', 'tern', 'Árctic', 'arctic-tern', '1.2.3', '中国', '检索', 'don’t', 'the'];
    const aText = fc.array(fc.constantFrom(...vocabulary, '\n', '# '), { maxLength: 12 }).map((parts) => parts.join(' '));
    const aQuery = fc
      .array(fc.constantFrom(...vocabulary, 'her', '-gull', '-heron', '"gull tern"', '-"heron tern"', 'path:1'), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(aText, { minLength: 1, maxLength: 8 }), aQuery, async (texts, query) => {
        // One note has every word, because only the index takes near misses for a word that is found nowhere.
        const all = { 'all.md': vocabulary.join(' ') };
        const notes = searchOf({ ...all, ...Object.fromEntries(texts.map((text, at) => [`n${at}.md`, text])) });
        const scanned = await notes.ask(query);
        await notes.index();
        const indexed = await notes.ask(query);
        await notes.search.close();
        expect(indexed.by).toBe('index');
        const members = (answer: typeof indexed): string[] =>
          answer.hits.map(({ path, score }) => `${path} ${score >= 0.5 ? 'all' : 'some'}`).sort();
        expect({ query, found: members(indexed) }).toEqual({ query, found: members(scanned) });
        expect(indexed.total).toBe(scanned.total);
      }),
      { numRuns: runs(50) },
    );
  });
});
