import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clausesOf } from '../../../src/graph/search/query/clauses.ts';
import { findHits } from '../../../src/graph/search/find-hits.ts';
import { snippetOf } from '../../../src/graph/search/snippet.ts';
import { runs } from '../../support/effort.ts';

const filler = 'Some words that stand between others and say nothing. ';

function snippet(text: string, query: string, length = 80): string {
  return snippetOf(text, { clauses: clausesOf(query, { isPrefix: true }), literals: [] }, length);
}

describe('snippetOf', () => {
  it('gives a short body whole, without frontmatter', () => {
    expect(snippet('---\ntitle: x\n---\n\nShort body.\n', 'anything')).toBe('Short body.');
  });

  it('gives the beginning when nothing in the body matches', () => {
    const text = filler.repeat(5);
    expect(snippet(text, 'heron')).toMatch(/^Some words .*…$/);
  });

  it('shows the word, wherever it stands', () => {
    for (const [before, after] of [
      [0, 20],
      [10, 10],
      [20, 0],
      [3000, 3],
    ] as const) {
      const text = `${filler.repeat(before)}the KINGFISHER dives${filler.repeat(after)}`;
      expect(snippet(text, 'kingfisher')).toContain('KINGFISHER');
    }
  });

  it('chooses the place where most of the words stand together', () => {
    const text = `heron ${filler.repeat(10)} gull ${filler.repeat(10)} a heron and a gull ${filler.repeat(10)}`;
    expect(snippet(text, 'heron gull')).toContain('a heron and a gull');
  });

  it('shows a literal text and one with other marks', () => {
    const text = `${filler.repeat(10)} the Crème brûlée => here ${filler.repeat(10)}`;
    expect(snippetOf(text, { clauses: [], literals: ['=>'] }, 60)).toContain('=>');
    expect(snippet(text, 'creme')).toContain('Crème');
  });

  it('shows a word that stands in the middle of a long passage without spaces', () => {
    const text = `${'我们今天去公园看花'.repeat(40)}知识库${'明天下雨就在家里读书'.repeat(40)}`;
    expect(snippet(text, '知识库')).toContain('知识库');
  });

  it('finds the same words by their places in the folded text as by looking at every word', () => {
    const part = fc.constantFrom(
      'heron ',
      "heron's ",
      'Herons ',
      'GULL',
      ' ',
      '\n',
      'don\u2019t ',
      "rock 'n' roll ",
      'get_node ',
      'HTTPServer ',
      'naïve ',
      '中文知识 ',
      'été-2024 ',
      'İstanbul ',
      'straße ',
      'cafe\u0301 ',
      'v1.2.3 ',
      '한국어를 ',
      '🌱 ',
      'ΣΊΣΥΦΟΣ ',
      'word '.repeat(40),
    );
    const query = fc.constantFrom(
      'heron',
      'gull dont',
      'node server',
      'naive',
      '知识',
      '2024',
      'istanbul',
      'strasse',
      '1.2',
      '한국어',
      '🌱',
      'σισυφος',
      'n',
      'w',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), query, (parts, wanted) => {
        const text = parts.join('');
        const clauses = { clauses: clausesOf(wanted, { isPrefix: true }), literals: [] };
        const body = { start: 0, end: text.length };
        // A ligature is folded to two letters, so that places in the folded text say nothing.
        const longer = `${text}\n\nﬁ`;
        expect(findHits(text, body, clauses)).toEqual(findHits(longer, { start: 0, end: longer.length }, clauses));
      }),
      { numRuns: runs(600) },
    );
  });

  it('never is longer than asked, splits no code point, and is a stretch of the body', () => {
    const aText = fc
      .array(fc.constantFrom('heron ', '🌱', '🌱 ', 'word ', '中文', '\n\n', 'x'.repeat(50), filler), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(aText, fc.constantFrom('heron', '中文', 'gull', '🌱'), fc.nat(120), (text, query, length) => {
        const found = snippet(text, query, length);
        expect(found.length).toBeLessThanOrEqual(length);
        expect(found).not.toMatch(/\p{Cs}/u);
        expect(text).toContain(found.replace(/^…/, '').replace(/…$/, ''));
      }),
      { numRuns: runs(200) },
    );
  });
});
