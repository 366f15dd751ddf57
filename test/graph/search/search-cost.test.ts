import { afterAll, describe, expect, it, vi } from 'vitest';
import { bestFirst } from '../../../src/graph/search/candidates.ts';
import { openInvertedIndex } from '../../../src/graph/search/inverted/inverted-index.ts';
import type { RankedHits } from '../../../src/graph/search/inverted/text-index.ts';
import type { SearchHost } from '../../../src/graph/search/worker/search-host.ts';
import { openSearchSlices } from '../../../src/graph/search/worker/search-slices.ts';
import { waitFor } from '../../support/wait-for.ts';
import { searchOf, shelf } from './search-of.ts';
import type { Notes } from './search-of.ts';

const COUNT = 600;
/** Every third note has the words as a phrase, the others apart; so many lines before and after them have neither. */
function notesOf(count: number, lines: number): Readonly<Record<string, string>> {
  const filler = Array.from({ length: lines }, (_, at) => `line ${at} of nothing that is ever asked for`).join('\n');
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `n${String(at).padStart(3, '0')}.md`,
      `${filler}\n${at % 3 === 0 ? 'a grey heron stands' : 'a heron that is grey'} ${'x '.repeat(at % 50)}\n${filler}\n`,
    ]),
  );
}
const files = notesOf(COUNT, 5);

let indexed: Notes | null = null;
afterAll(() => indexed?.search.close());

/** Runs with the index of these notes, which is built once. */
async function withIndex(run: (notes: Notes) => Promise<void>): Promise<void> {
  if (indexed === null) {
    indexed = searchOf(files);
    await indexed.index();
  }
  indexed.reads.length = 0;
  await run(indexed);
}

/** An index that keeps what it answered. */
function keepAnswers(): { readonly answers: readonly RankedHits[]; readonly host: () => SearchHost } {
  const answers: RankedHits[] = [];
  const host = (): SearchHost => {
    const whole = openSearchSlices(openInvertedIndex());
    return {
      ...whole,
      rank: async (query) => {
        const hits = await whole.rank(query);
        answers.push(hits);
        return hits;
      },
    };
  };
  return { answers, host };
}

async function readsOf(notes: Notes, query: string, more: Parameters<Notes['ask']>[1] = {}): Promise<number> {
  notes.reads.length = 0;
  await notes.ask(query, { limit: 10, ...more });
  return notes.reads.length;
}

describe('what a search costs, counted', () => {
  it('reads each note of the page once, however many match, and none where no snippet is wanted', () =>
    withIndex(async (notes) => {
      for (const query of ['heron', 'heron grey', 'heron -gull', 'heron OR grey', 'heron path:n1']) {
        expect({ query, reads: await readsOf(notes, query) }).toEqual({ query, reads: 10 });
        expect(new Set(notes.reads).size).toBe(10);
        expect(await readsOf(notes, query, { snippetLength: 0 })).toBe(0);
      }
      expect(await readsOf(notes, 'heron', { offset: 300 })).toBe(10);
    }));

  it('reads for a phrase no more than its page and a bounded number behind it, and says that its total is a lower bound', () =>
    withIndex(async (notes) => {
      // Ten hits and 32 notes behind them, each once: the pair rules out those that have both words and not the phrase.
      expect(await readsOf(notes, '"grey heron"')).toBe(10 + 32);
      expect(new Set(notes.reads).size).toBe(42);
      // Of a line only the words are known: of three notes one has it.
      expect(await readsOf(notes, 'line:("grey heron" stands)')).toBeLessThanOrEqual(30 + 32);
      const found = await notes.ask('"grey heron"', { limit: 10 });
      expect(found.isLowerBound).toBe(true);
      expect(found.total).toBeGreaterThan(10);
      expect(found.total).toBeLessThan(COUNT / 3);
      const all: string[] = [];
      const totals = new Set<number>();
      for (let offset = 0, isMore = true; isMore;) {
        const page = await notes.ask('"grey heron"', { limit: 50, caller: 'a', offset });
        all.push(...page.hits.map(({ path }) => path));
        offset = (page.hits.at(-1)?.at ?? offset) + 1;
        isMore = page.hits.length > 0 && (page.isLowerBound || offset < page.total);
        if (!page.isLowerBound) totals.add(page.total);
      }
      // Known at the end, it is the true one.
      expect([...totals]).toEqual([COUNT / 3]);
      expect(all).toEqual((await notes.find('"grey heron"', { limit: COUNT })).slice(0, COUNT));
      expect(all).toHaveLength(COUNT / 3);
    }));

  it('gives a phrase that few notes may have its true total', () =>
    withIndex(async (notes) => {
      notes.put('one.md', 'a purple heron');
      expect(await notes.ask('"purple heron"', { limit: 1 })).toMatchObject({ total: 1, isLowerBound: false });
      notes.remove('one.md');
    }));

  it('cuts only the lines of a snippet into words that hold one of the query', async () => {
    const notes = searchOf(notesOf(10, 200));
    await notes.index();
    // Every word that is cut out of a text is written small, one by one.
    const words = vi.spyOn(String.prototype, 'toLowerCase');
    try {
      await notes.ask('heron', { limit: 10 });
      // A note has 3,200 words, and lines are folded as well.
      expect(words.mock.calls.length).toBeGreaterThan(0);
      expect(words.mock.calls.length).toBeLessThan(10 * 300);
    } finally {
      words.mockRestore();
      await notes.search.close();
    }
  });

  it('gets nine bytes a hit from the index and sorts what its page needs', async () => {
    const { answers, host } = keepAnswers();
    const notes = searchOf(files, { host });
    await notes.index();
    await notes.ask('heron', { limit: 10 });
    await notes.search.close();
    const { keys, scores: given, held } = answers.at(-1)!;
    expect(keys.length).toBe(COUNT);
    expect(keys.byteLength + given.byteLength + held.byteLength).toBe(9 * COUNT);
    const scores = Uint32Array.from({ length: 10_000 }, (_, at) => ((at * 7919) % 10_000) * 100);
    let compared = 0;
    const order = bestFirst(scores, (a, b) => {
      compared += 1;
      return a - b;
    });
    expect(Array.from({ length: 10 }, () => scores[order.next().value ?? 0])).toEqual([...scores].sort((a, b) => b - a).slice(0, 10));
    expect(compared).toBeLessThan(100);
  });

  it('gets from the index, of the notes with a word, hardly more than those with a tag that is required too', async () => {
    const { answers, host } = keepAnswers();
    const tagged = Object.fromEntries(Object.entries(files).map(([path, text], at) => [path, at % 60 === 0 ? `${text}#some/tag\n` : text]));
    const notes = searchOf(tagged, { host });
    await notes.index();
    const hitsOf = async (query: string): Promise<[found: number, got: number]> => {
      const { total } = await notes.ask(query, { limit: 10 });
      return [total, answers.at(-1)?.keys.length ?? 0];
    };
    expect(await hitsOf('heron tag:some')).toEqual([10, 10]);
    expect(await hitsOf('heron tag:#Some/Tag -gull')).toEqual([10, 10]);
    expect(await hitsOf('tag:some/tag')).toEqual([10, 10]);
    expect(await hitsOf('heron -tag:some')).toEqual([COUNT - 10, COUNT]);
    expect(await hitsOf('heron OR tag:some')).toEqual([COUNT, COUNT]);
    expect(await hitsOf('line:heron tag:some')).toEqual([10, COUNT]);
    await notes.search.close();
  });

  it('asks the graph of no note again whether it has a tag, is of a type or in a folder, unless it changed', async () => {
    const tagged = Object.fromEntries(Object.entries(files).map(([path, text], at) => [path, at % 2 === 0 ? `${text}#some/tag\n` : text]));
    const notes = searchOf(tagged, {});
    await notes.index();
    const get = vi.spyOn(notes.graph, 'get');
    const asked = async (query: string): Promise<[found: number, looks: number]> => {
      get.mockClear();
      const { total } = await notes.ask(query, { limit: 10 });
      return [total, get.mock.calls.length];
    };
    for (const [query, total] of [
      ['heron tag:some', COUNT / 2],
      ['heron -tag:some', COUNT / 2],
      ['heron (tag:some OR path:n59)', COUNT / 2 + 5],
      ['heron -type:bird', COUNT],
    ] as const) {
      await asked(query);
      // The ten of the page are looked at as they are.
      expect([query, ...(await asked(query))]).toEqual([query, total, 10]);
    }
    notes.put('n001.md', 'a heron #some\n');
    notes.put('n002.md', 'a heron\n');
    notes.put('n004.md', 'a heron #some\n', true);
    notes.remove('n006.md');
    notes.put('new.md', 'a heron #some\n');
    notes.put('n003.md', '---\ntype: bird\n---\na heron\n');
    expect(await asked('heron tag:some')).toEqual([COUNT / 2 - 1, 10 + 2]);
    expect(await asked('heron -type:bird')).toEqual([COUNT - 2, 10 + 4]);
    notes.put('n004.md', 'a heron #some\n');
    expect((await asked('heron tag:some'))[0]).toBe(COUNT / 2);
    await notes.search.close();
  });

  it('gives all of any scores in their order, equal ones as they compare', () => {
    const scores = Uint32Array.from(
      { length: 3000 },
      (_, at) => 1e6 * ([0, 1, 0.5, (at % 7) / 7, 0.500_001, (at % 997) / 997][at % 6] ?? 0),
    );
    const wanted = Array.from(scores.keys()).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    expect([...bestFirst(scores, (a, b) => a - b)]).toEqual(wanted);
    expect([...bestFirst(new Uint32Array(0), (a, b) => a - b)]).toEqual([]);
  });

  it('waits for a stored index that is being loaded instead of reading the notes', async () => {
    const snapshot = shelf();
    const before = searchOf(files, { snapshot });
    await before.index();
    await before.search.save();
    await before.search.close();
    // It comes as late as it likes: the search waits.
    const load = async (): Promise<Uint8Array | null> => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return snapshot.held;
    };
    const notes = searchOf(files, { snapshot: { ...snapshot, load }, isStartedOnDemand: true });
    const found = await notes.ask('heron', { limit: 10 });
    expect(found).toMatchObject({ by: 'index', total: COUNT });
    expect(notes.reads.length).toBe(10);
    await waitFor(() => notes.search.state === 'ready', { what: 'the index' });
    await notes.search.close();
    // Without one there is nothing to wait for.
    const cold = searchOf(files, { snapshot: shelf(), isStartedOnDemand: true });
    expect(await cold.ask('heron', { limit: 10 })).toMatchObject({ by: 'scan', total: COUNT });
    await cold.search.close();
  });
});
