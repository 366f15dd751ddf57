import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementsOf } from '../../src/extraction/statements.ts';
import { runs } from '../support/effort.ts';

const texts = (body: string, source: 'text' | 'message' = 'text'): readonly string[] =>
  statementsOf({ source, body, name: null }).map(({ text }) => text);
const withoutSpace = (text: string): string => text.replaceAll(/\s/gu, '');

describe('statements', () => {
  it('hold every character of a text that is not white space, once and in order', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9äß東京é,;:'()"]{1,12}$/).filter((text) => !/^\d+\)/.test(text));
    const end = fc.constantFrom('.', '!', '?', '…', '...', '。', '." ', ' ', '\n', '\n\n');
    const body = fc.array(fc.tuple(word, end), { maxLength: 60 }).map((parts) => parts.map(([text, mark]) => `${text}${mark} `).join(''));
    fc.assert(
      fc.property(body, fc.constantFrom('text' as const, 'message' as const), (text, source) => {
        expect(withoutSpace(texts(text, source).join(''))).toBe(withoutSpace(text));
        for (const { text: said, sentences } of statementsOf({ source, body: text, name: null })) {
          expect(sentences.length).toBeGreaterThan(0);
          expect(withoutSpace(sentences.join(''))).toBe(withoutSpace(said));
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('are not divided after abbreviations, numbers and initials, nor before small letters', () => {
    const whole = 'Dr. Weiß met J. Smith at 5 p.m. in St. Louis on the 3. of May, e.g. for lunch';
    expect(texts(`${whole}. Then they went home.`)).toEqual([`${whole}.`, 'Then they went home.']);
  });

  it('of a short message are the message, of a long one its sentences, and of nothing none', () => {
    expect(texts('Nora(user): I moved. It was hard.', 'message')).toEqual(['I moved. It was hard.']);
    expect(texts(`Nora(user): ${'This is a long sentence of mine. '.repeat(30)}`, 'message')).toHaveLength(30);
    for (const body of ['', '  ', '\n\n', '- ', '> ', '# ']) expect(texts(body, 'message')).toEqual([]);
  });
});
