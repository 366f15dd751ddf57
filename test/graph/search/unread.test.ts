import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/effort.ts';
import { searchOf } from './search-of.ts';

/** Words whose letters are written in several ways, and places where they are written. */
const WORDS = [
  'alpha',
  'ALPHA',
  'a\u0301lpha',
  'álphas',
  'al’pha',
  "al'pha",
  'ａｌｐｈａ',
  'ﬁnd',
  'find',
  'Straße',
  'strasse',
  'æon',
  'aeon',
  '™',
  'tm',
  '\u212aelvin',
  'kelvin',
  'İstanbul',
  'istanbul',
  'fooBar',
  'foo_bar',
  'v1.2.3',
  '2024-01-15',
  '域名',
  '自定义域名',
  'がき',
  'か\u3099き',
  '한국어',
  'שָׁלוֹם',
  'שלום',
  'Σίσυφος',
] as const;

const PLACES: readonly ((word: string) => string)[] = [
  (word) => `Some ${word} here.`,
  (word) => `# ${word} ahead`,
  (word) => `> 1. ## ${word}`,
  (word) => `${word} under\n===`,
  (word) => `> ${word}\n> --`,
  (word) => `old ${word}\r===\rmac`,
  (word) => `#${word}/part`,
  (word) => `[[x#${word}]] and \`#${word}\``,
  (word) => `- [ ] ${word}\n- [x] done`,
  (word) => `**${word}** next`,
  () => 'nothing',
];

const FRONTMATTER: readonly ((word: string) => string)[] = [
  () => '',
  (word) => `---\ntitle: ${word} named\n---\n`,
  (word) => `---\n"title": "${Array.from(word, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"\n---\n`,
  (word) => `---\naliases: [other, "${word}"]\n---\n`,
  (word) => `---\ntags:\n  - ${word}/x\nstatus: ${word}\n---\n`,
  (word) => `---\ntype: ${word}\nrating: 4\n---\n`,
  () => '---\ntitle: 0x2A\n---\n',
];

const aWord = fc.constantFrom(...WORDS);
const aNote = fc
  .tuple(fc.constantFrom(...FRONTMATTER), aWord, fc.array(fc.tuple(fc.constantFrom(...PLACES), aWord), { minLength: 1, maxLength: 3 }))
  .map(([before, named, lines]) => before(named) + lines.map(([place, word]) => place(word)).join('\n\n'));
const aVault = fc
  .tuple(fc.array(aNote, { minLength: 1, maxLength: 6 }), aWord)
  .map(([texts, name]) => Object.fromEntries(texts.map((text, at) => [at === 0 ? `a/${name}.md` : `b/n${at}.md`, text])));
const aQuery = fc
  .tuple(
    aWord,
    aWord,
    fc.constantFrom<(a: string, b: string) => string>(
      (a) => a,
      (a, b) => `${a} ${b}`,
      (a, b) => `${a} -${b}`,
      (a, b) => `${a} OR ${b}`,
      (a, b) => `"${a} here" OR ${b}`,
      (a) => `tag:${a}`,
      (a, b) => `tag:${a} ${b}`,
      (a) => `type:${a}`,
      (a) => `[status:${a}]`,
      (a) => `file:${a}`,
      (a, b) => `section:(${a} ${b})`,
      (a) => `task-todo:${a}`,
      () => '[rating:>3]',
      () => '42',
    ),
  )
  .map(([a, b, make]) => make(a, b));

describe('search among notes that are not in the graph yet', () => {
  it('finds what it finds once they are, however words are written', async () => {
    await fc.assert(
      fc.asyncProperty(aVault, fc.array(aQuery, { minLength: 1, maxLength: 3 }), async (files, queries) => {
        const late = searchOf(files);
        for (const query of queries) {
          for (const mode of ['keyword', 'exact'] as const) {
            const early = await searchOf(files, { isUnread: () => true }).ask(query, { mode });
            const then = await late.ask(query, { mode });
            const found = (answer: typeof then): unknown => [answer.hits.map(({ path }) => path).sort(), answer.total, answer.isLowerBound];
            expect({ query, mode, found: found(early) }).toEqual({ query, mode, found: found(then) });
            // Mean lengths of names differ by those of notes without the words.
            for (const { path, score } of early.hits)
              expect(Math.abs(score - (then.hits.find((hit) => hit.path === path)?.score ?? 0))).toBeLessThan(0.05);
          }
        }
        await late.search.close();
      }),
      { numRuns: runs(300) },
    );
  });
});
