import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clausesOf } from '../../../../src/graph/search/query/clauses.ts';
import { foldText } from '../../../../src/graph/search/words/fold-text.ts';
import { holdsClause, toClauseScan } from '../../../../src/graph/search/words/term-scan.ts';
import { nextRun, tokenize } from '../../../../src/graph/search/words/tokenize.ts';
import { runs } from '../../../support/effort.ts';

const TERMS: readonly (readonly [text: string, terms: string])[] = [
  ['The quick, brown fox.', 'the quick brown fox'],
  ['camelCase HTTPServer getURLFromPage', 'camelcase camel case httpserver http server geturlfrompage get url from page'],
  ['snake_case kebab-case', 'snake_case snake case kebab-case kebab case'],
  ['fooBar-baz', 'foobar-baz foobar foo bar baz'],
  ['1.2.3 v2.0.1 2024-01-15 3.14', '1.2.3 v2.0.1 2.0.1 2024-01-15 3.14'],
  ['utf8 x86_64', 'utf8 x86_64 x86 64'],
  ['src/graph/search.ts', 'src graph search.ts search ts'],
  ['https://example.com/a-b?c=1#d', 'https example.com example com a-b a b c 1 d'],
  ['don’t l’amour', 'dont don lamour amour'],
  ['Ünïcödé Straße Œuvre ŁÓDŹ', 'unicode strasse oeuvre lodz'],
  ['cafe\u0301 café', 'cafe cafe'],
  ['ＡＢＣ ﬁne', 'abc fine'],
  ['ΛΌΓΟΣ Λόγος', 'λογοσ λογοσ'],
  ['Ёлка елка', 'елка елка'],
  ['नमस्ते दुनिया', 'नमस्ते दुनिया'],
  ['done ✅ 🌱', 'done ✅ 🌱'],
  ['_emphasis_ **bold** `code`', 'emphasis bold code'],
  ['', ''],
  ['--- ... ***', ''],
];

describe('tokenize', () => {
  it.each(TERMS)('makes terms of %j', (text, terms) => {
    expect(tokenize(text).join(' ')).toBe(terms);
  });

  it('cuts Chinese into words, pairs and characters', () => {
    expect(tokenize('全文检索')).toEqual(expect.arrayContaining(['全文', '检索', '文检', '全', '索']));
  });

  it('cuts Japanese into words, without its particles', () => {
    const terms = tokenize('検索エンジンの設定');
    expect(terms).toEqual(expect.arrayContaining(['検索', 'エンジン', '設定']));
    expect(terms).not.toContain('の');
  });

  it('cuts Thai into words', () => {
    expect(tokenize('การค้นหาข้อความ')).toEqual(expect.arrayContaining(['ค้นหา', 'ข้อความ']));
  });

  it('finds a Korean word inside a compound with a particle', () => {
    expect(tokenize('정보검색을')).toEqual(expect.arrayContaining(['정보검색을', '검색']));
  });

  it('keeps the beginning of a word that is too long for one', () => {
    expect(tokenize('a'.repeat(1000))).toEqual(['a'.repeat(64)]);
  });

  it('takes a passage without an end in pieces: ICU alone would take as long as its length squared', () => {
    const passage = '搜索引擎的域名'.repeat(20_000);
    expect(new Set(tokenize(passage))).toEqual(
      new Set([...tokenize('搜索引擎的域名'.repeat(2)), ...tokenize(passage.slice(2_000, 6_000))]),
    );
  });

  it('passes over every text once, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let end = 0;
        for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) {
          expect(run.start).toBeGreaterThanOrEqual(end);
          expect(run.end).toBeGreaterThan(run.start);
          end = run.end;
        }
        for (const term of tokenize(text)) expect(term).not.toBe('');
      }),
    );
  });
});

describe('scanning for words', () => {
  const aText = fc
    .array(
      fc.constantFrom(
        'foo',
        'Foo',
        'fooBar',
        'FOO_bar',
        'foo-bar',
        'föö',
        'fo\u0301o',
        'don’t',
        'dont',
        '1.2.3',
        '中国人',
        '检索',
        'の',
        '정보검색을',
        'ß',
        'ﬁ',
        ' ',
        ' ',
        ' ',
        '.',
        '\n',
        '-',
        '🌱',
      ),
      { maxLength: 16 },
    )
    .map((parts) => parts.join(''));
  const aWord = fc.constantFrom(
    'foo',
    'foobar',
    'fooBar',
    'foo_bar',
    'foo-bar',
    'bar',
    'don’t',
    'dont',
    '1.2',
    '1.2.3',
    '中国',
    '检',
    '检索',
    '검색',
    'ss',
    'fi',
    'fo',
    '🌱',
  );

  it('finds a word exactly where the terms of the text have it', () => {
    fc.assert(
      fc.property(aText, aWord, fc.boolean(), (text, word, isPrefix) => {
        const terms = tokenize(text);
        for (const clause of clausesOf(word, { isPrefix })) {
          const isThere = clause.alternatives.some((wanted) =>
            wanted.every((term, at) =>
              terms.some((found) => (clause.isPrefix && at === wanted.length - 1 ? found.startsWith(term) : found === term)),
            ),
          );
          expect({ text, word, isThere: holdsClause(text, toClauseScan(clause)) }).toEqual({ text, word, isThere });
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds what a term of a text begins with, however its letters are written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.nat(8), fc.nat(4), (text, which, length) => {
        const terms = tokenize(text);
        const term = Array.from(terms[which % Math.max(1, terms.length)] ?? '')
          .slice(0, length + 1)
          .join('');
        fc.pre(term !== '');
        const isThere = holdsClause(text, toClauseScan({ alternatives: [[term]], isPrefix: true }));
        expect({ term, isThere }).toEqual({ term, isThere: true });
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('foldText', () => {
  it('folds what it folded no further', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
    );
  });

  it('folds letters of Latin, Greek and Cyrillic by themselves as in any text', () => {
    const letters = Array.from({ length: 0x530 - 0xc0 }, (_, at) => String.fromCharCode(0xc0 + at)).filter((letter) =>
      /\P{M}/u.test(letter),
    );
    // With a mark behind them, which is left out, they are not folded one by one.
    const folds = (text: string): void => {
      expect(foldText(text)).toBe(foldText(`${text}\u0301`));
    };
    for (const letter of letters) folds(letter);
    fc.assert(fc.property(fc.array(fc.constantFrom(...letters, 'i', 'Σ'), { maxLength: 20 }), (some) => folds(some.join(''))));
  });

  it('makes composed and decomposed text equal', () => {
    for (const text of ['Ångström', 'がぎぐ', '한국어', 'Việt', 'ΐ'])
      expect(foldText(text.normalize('NFD'))).toBe(foldText(text.normalize('NFC')));
  });
});
