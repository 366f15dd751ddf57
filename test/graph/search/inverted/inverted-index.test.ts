import fc from 'fast-check';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { openInvertedIndex } from '../../../../src/graph/search/inverted/inverted-index.ts';
import { SEARCH_FIELDS } from '../../../../src/graph/search/inverted/text-index.ts';
import { tokenize } from '../../../../src/graph/search/words/tokenize.ts';
import { document, textIndexContract, words } from './text-index-contract.ts';

textIndexContract('the inverted index', openInvertedIndex);

describe('the inverted index beside MiniSearch itself', () => {
  const aWord = fc.stringMatching(/^[a-d]{3,4}$/);
  const aBody = fc.array(aWord, { minLength: 1, maxLength: 20 }).map((found) => found.join(' '));

  it('finds the same documents for a word and its longer forms', () => {
    fc.assert(
      fc.property(fc.array(aBody, { minLength: 1, maxLength: 20 }), aWord, (bodies, word) => {
        const ours = openInvertedIndex();
        const theirs = new MiniSearch({ fields: [...SEARCH_FIELDS], idField: 'key', tokenize, processTerm: (term) => term });
        for (const [key, body] of bodies.entries()) {
          ours.put(document(key, { body }));
          theirs.add(document(key, { body }));
        }
        const found = theirs.search(word, { prefix: true }).map(({ id }) => Number(id));
        expect([...ours.rank(words(word)).keys].sort((a, b) => a - b)).toEqual(found.sort((a, b) => a - b));
      }),
    );
  });

  it('forgets removed documents when it tidies', () => {
    const index = openInvertedIndex();
    for (let round = 0; round < 20; round += 1)
      for (let key = 0; key < 20; key += 1) index.put(document(key, { body: `round${round} bird` }));
    expect(index.isUntidy).toBe(true);
    for (const steps = index.tidy(); steps.next().done !== true;);
    expect(index.isUntidy).toBe(false);
    expect(index.size).toBe(20);
    expect([...index.rank(words('round3')).keys]).toEqual([]);
    expect([...index.rank(words('round19')).keys]).toHaveLength(20);
  });
});
