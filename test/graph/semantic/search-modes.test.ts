import { describe, expect, it } from 'vitest';
import type { EmbeddingStatus, NoteEmbeddings } from '../../../src/graph/semantic/embeddings.ts';
import { SearchModes } from '../../../src/graph/semantic/search-modes.ts';
import { parseSearchQuery } from '../../../src/graph/search/query/parse-query.ts';
import type { SearchRequest } from '../../../src/graph/search/search.ts';

const READY = { provider: 'test', state: 'ready', embedded: 8, waiting: 2, notes: { embedded: 8, all: 10 } } as const;
const VECTOR = new Float32Array([1]);

/** Modes over embeddings in this state; `choose` returns the mode and the warnings of a query. */
function modesWith(start: { status?: EmbeddingStatus; coverage?: number; vector?: Float32Array | null } = {}) {
  const state = { status: READY as EmbeddingStatus, coverage: 1, vector: VECTOR as Float32Array | null, ...start };
  const modes = new SearchModes({
    ensureLoaded: () => Promise.resolve(),
    status: () => state.status,
    embedQuery: () => Promise.resolve(state.vector),
    get coverage() {
      return state.coverage;
    },
  } as unknown as NoteEmbeddings);
  const choose = async (more: Partial<SearchRequest>): Promise<readonly [mode: string, ...warnings: string[]]> => {
    const request: SearchRequest = { query: 'compost', mode: 'auto', limit: 10, snippetLength: 0, caller: 'ada', ...more };
    const { mode, vector, warnings } = await modes.choose(request, parseSearchQuery(request.query));
    expect(vector === null).toBe(mode === 'keyword');
    return [mode, ...warnings];
  };
  return { state, choose };
}

describe('a query', () => {
  it('is answered by both rankings, or by meaning alone where that is asked for', async () => {
    const { choose } = modesWith();
    expect(await choose({})).toEqual(['hybrid', 'Searched by hybrid.']);
    expect(await choose({ mode: 'hybrid' })).toEqual(['hybrid', 'Searched by hybrid.']);
    expect(await choose({ mode: 'semantic' })).toEqual(['semantic', 'Searched by semantic.']);
  });

  it('without words is answered by keyword, which is said only where something else was asked for', async () => {
    const { choose } = modesWith();
    expect(await choose({ query: 'tag:garden' })).toEqual(['keyword']);
    expect(await choose({ query: 'tag:garden', mode: 'semantic' })).toEqual([
      'keyword',
      'Searched by keyword: the query has operators only, and no words whose meaning could be compared.',
    ]);
  });

  it.each([
    ['off', 1, ['keyword'], ['keyword', 'Searched by keyword: nothing embeds the notes, as there is no embedder.']],
    [
      'failed',
      1,
      ['keyword', 'Searched by keyword: search by meaning does not work now (unknown).'],
      ['semantic', 'Searched by semantic.'],
    ],
    ['loading', 1, ['keyword'], ['semantic', 'Searched by semantic.']],
    [
      'ready',
      0.94,
      ['keyword', 'Searched by keyword: 8 of 10 notes are embedded so far.'],
      ['semantic', 'Searched by semantic: 8 of 10 notes are embedded so far.'],
    ],
    [
      'ready',
      0.95,
      ['hybrid', 'Searched by hybrid: 8 of 10 notes are embedded so far.'],
      ['semantic', 'Searched by semantic: 8 of 10 notes are embedded so far.'],
    ],
    [
      'ready',
      0,
      ['keyword', 'Searched by keyword: 8 of 10 notes are embedded so far.'],
      ['keyword', 'Searched by keyword: 8 of 10 notes are embedded so far.'],
    ],
  ] as const)('with embeddings that are %s and know %d of the notes', async (state, coverage, auto, semantic) => {
    const { choose } = modesWith({ status: { ...READY, state }, coverage });
    expect(await choose({})).toEqual(auto);
    expect(await choose({ mode: 'semantic' })).toEqual(semantic);
  });

  it('whose vector does not come in time is answered by keyword', async () => {
    const { choose } = modesWith({ vector: null });
    expect(await choose({})).toEqual(['keyword', 'Searched by keyword: the query could not be embedded (not in time).']);
  });
});

describe('the next page', () => {
  it('is answered in the mode of the first one, by the same caller for the same query in the same folder', async () => {
    const { state, choose } = modesWith({ coverage: 0.5 });
    expect((await choose({}))[0]).toBe('keyword');
    state.coverage = 1;
    expect(await choose({ offset: 10 })).toEqual(['keyword']);
    for (const other of [{ caller: 'bo' }, { query: 'peat' }, { filter: { under: 'notes' } }, { filter: { type: 'plant' } }])
      expect((await choose({ offset: 10, ...other }))[0]).toBe('hybrid');
    expect((await choose({}))[0]).toBe('hybrid');
    state.coverage = 0.5;
    expect((await choose({ offset: 10 }))[0]).toBe('hybrid');
  });

  it('is remembered for the last 64 queries', async () => {
    const { state, choose } = modesWith({ coverage: 0.5 });
    for (let count = 0; count <= 64; count++) await choose({ query: `compost ${count}` });
    state.coverage = 1;
    expect((await choose({ query: 'compost 1', offset: 10 }))[0]).toBe('keyword');
    expect((await choose({ query: 'compost 0', offset: 10 }))[0]).toBe('hybrid');
  });
});
