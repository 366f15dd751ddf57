import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { mayMatch } from '../../../src/graph/search/match/may-match.ts';
import { NoteBytes } from '../../../src/graph/search/match/note-bytes.ts';
import { parseSearchQuery } from '../../../src/graph/search/query/parse-query.ts';
import { tokenize } from '../../../src/graph/search/words/tokenize.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { runs } from '../../support/effort.ts';
import type { SearchRequest } from '../../../src/graph/search/search.ts';
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
  (word) => `---\ntags: [other, 'x/${word}/y']\ntype:\n  ${word}\n  one's\n---\n`,
  (word) => `---\ntags: ${word}, ${word}/#z\n"type": 'the ${word}''s'\n---\n`,
  (word) => `---\n? aliases\n: - "two\n    ${word}"\ntitle: >-\n  folded\n  ${word}\n---\n`,
  (word) => `---\nbase: &here ${word}\ntype: *here\ntitle: 'it''s\n  ${word}'\ntags: ["${word}\n  b"]\n---\n`,
  (word) => `---\r\ntype: |-\r\n  ${word}\r\naliases: {a: ${word}}\r\n---\r\n`,
  (word) => `---\ntitle: [not closed\ntype: ${word}\n---\n`,
];

/** Numbers as they are written, which are called what YAML reads. */
const NUMBERS = [
  '0x2A',
  '0o52',
  '42',
  '4.2e1',
  '1e3',
  '.5',
  '-.5',
  '+.5',
  '00.50',
  '1E21',
  '1e-7',
  '0.00000012',
  '12345678.123456789',
] as const;
const NUMBERS_READ = ['42', '1000', '0.5', '1e+21', '1.2e-7', '12345678.12345679', '1e-7', 'infinity'] as const;
const aNumber = fc.constantFrom(...NUMBERS, '.inf', '.NaN', '12345678901234567890', '2024-01-15');
const NUMBERED: readonly ((number: string) => string)[] = [
  (number) => `---\ntitle: ${number}\n---\n`,
  (number) => `---\naliases: [${number}, a]\n---\n`,
  (number) => `---\ntags:\n- ${number}\ntype: ${number}\n---\n`,
  (number) => `---\nstatus: ${number}\n---\n`,
];

const aWord = fc.constantFrom(...WORDS);
const someFrontmatter = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...FRONTMATTER), aWord).map(([make, word]) => make(word)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...NUMBERED), aNumber).map(([make, number]) => make(number)) },
);
const aNote = fc
  .tuple(someFrontmatter, fc.array(fc.tuple(fc.constantFrom(...PLACES), aWord), { minLength: 1, maxLength: 3 }))
  .map(([before, lines]) => before + lines.map(([place, word]) => place(word)).join('\n\n'));
const aFile = fc.tuple(fc.constantFrom('', '\ufeff'), aNote).map(([mark, text]) => mark + text);
const aVault = fc
  .tuple(fc.array(aFile, { minLength: 1, maxLength: 6 }), aWord)
  .map(([texts, name]) => Object.fromEntries(texts.map((text, at) => [at === 0 ? `a/${name}.md` : `b/n${at}.md`, text])));
const aSought = fc.oneof({ weight: 4, arbitrary: aWord }, { weight: 1, arbitrary: fc.constantFrom(...NUMBERS_READ) });
const aQuery = fc
  .tuple(
    aSought,
    aSought,
    fc.constantFrom<(a: string, b: string) => string>(
      (a) => a,
      (a, b) => `${a} ${b}`,
      (a, b) => `${a} -${b}`,
      (a, b) => `${a} OR ${b}`,
      (a, b) => `"${a} here" OR ${b}`,
      (a) => `tag:${a}`,
      (a, b) => `tag:${a} ${b}`,
      (a) => `tag:${a}/`,
      (a) => `tag:##${a}`,
      (a) => `tag:"${a} b"`,
      (a) => `tag:x/${a} -tag:${a}/part`,
      (a) => `-tag:${a}//`,
      (a) => `type:${a}`,
      (a) => `type:"${a} one's"`,
      (a) => `type:"the ${a}'s"`,
      (a) => `"folded ${a}"`,
      (a) => `"it's ${a}"`,
      (a) => `it's ${a}`,
      (a) => `[status:${a}]`,
      (a) => `file:${a}`,
      (a, b) => `section:(${a} ${b})`,
      (a) => `task-todo:${a}`,
      () => '[rating:>3]',
      () => '42',
    ),
  )
  .map(([a, b, make]) => make(a, b));
const aFilter = fc.option(
  fc.record(
    {
      type: fc.oneof(
        aSought,
        aWord.map((word) => `${word} one's`),
      ),
      under: fc.constantFrom('a', 'b/', 'c'),
    },
    { requiredKeys: [] },
  ),
  {
    nil: undefined,
  },
);

describe('search among notes that are not in the graph yet', () => {
  it('finds what it finds once they are, however words are written', async () => {
    await fc.assert(
      fc.asyncProperty(aVault, fc.array(fc.tuple(aQuery, aFilter), { minLength: 1, maxLength: 3 }), async (files, asked) => {
        const late = searchOf(files);
        for (const [query, filter] of asked) {
          for (const mode of ['keyword', 'exact'] as const) {
            const more = { mode, ...(filter === undefined ? {} : { filter }) };
            const early = await searchOf(files, { isUnread: () => true }).ask(query, more);
            const then = await late.ask(query, more);
            const found = (answer: typeof then): unknown => [answer.hits.map(({ path }) => path).sort(), answer.total, answer.isLowerBound];
            expect({ query, ...more, found: found(early) }).toEqual({ query, ...more, found: found(then) });
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

  it.each<[what: string, text: string, query: string, more?: Partial<SearchRequest>]>([
    ['a type that is asked for beside the words', '---\ntype: Person\n---\nwords', 'words', { filter: { type: 'Person' } }],
    ['a type over two lines', '---\ntype: Great\n  Auk\n---\n', 'type:"great auk"'],
    ['a type that is a number', '---\ntype: 1e3\n---\n', 'type:1000'],
    ['a tag with a slash behind it', 'words #x', 'tag:x/'],
    ['a tag with two marks', '---\ntags: [x]\n---\nwords', 'tag:##x'],
    ['a tag over two lines', '---\ntags:\n- great\n  auk\n---\n', 'tag:"great auk"'],
    ['a tag that is a number', '---\ntags: [1e3]\n---\n', 'tag:1000'],
    ['a tag in another form of Unicode', '#\u0915\u093c', 'tag:\u0958'],
    ['a number with an exponent as title', '---\ntitle: 1e3\n---\nwords', '1000'],
    ['a number that begins with a point', '---\ntitle: -.5\n---\nwords', '"0.5"'],
    ['a number without an end', '---\naliases: [.inf]\n---\nwords', 'infinity'],
    ['a number with too many digits', '---\ntitle: 12345678.123456789\n---\n', '"12345678.12345679"'],
    ['a tiny number', '---\ntitle: 0.00000012\n---\n', '"1.2e-7"'],
    ['a title over two lines, literally', '---\ntitle: great\n  auk\n---\n', 'great auk', { mode: 'exact' }],
    ['a quoted title, literally', "---\ntitle: 'the auk''s egg'\n---\n", "auk's egg", { mode: 'exact' }],
    ['a number as title, literally', '---\ntitle: 1e3\n---\n', '1000', { mode: 'exact' }],
  ])('finds %s', async (_, text, query, more) => {
    for (const isUnread of [false, true])
      expect(await searchOf({ 'a/n.md': text, 'b.md': 'others' }, { isUnread: () => isUnread }).find(query, more)).toEqual(['a/n.md']);
  });

  it.each(['# alpha', '> 1. ## alpha', '- [^n]: # alpha', 'alpha\n==='])('ranks a note with the heading %j as it will', async (text) => {
    const scores = async (isUnread: boolean): Promise<readonly number[]> => {
      const notes = searchOf({ 'a.md': text, 'b.md': 'alpha' }, { isUnread: () => isUnread });
      return (await notes.ask('alpha')).hits.map(({ score }) => score);
    };
    expect(await scores(true)).toEqual(await scores(false));
  });

  it('passes a note with any letter that is looked for as others', () => {
    const missed: string[] = [];
    let written = 0;
    for (let point = 0x21; point <= 0xffff; point += 1) {
      const text = `x${String.fromCharCode(point)}y`;
      const [term = '', ...more] = tokenize(text);
      // oxlint-disable-next-line no-control-regex
      if (more.length > 0 || !/^[\x00-\x7f]+$/.test(term)) continue;
      written += 1;
      const parts = mayMatch(parseSearchQuery(term), false)('n.md' as NotePath, new NoteBytes(Buffer.from(`Some ${text} here.`)));
      if (parts === 'none') missed.push(`${text} for ${term}`);
    }
    expect(missed).toEqual([]);
    expect(written).toBeGreaterThan(500);
  });

  it('decodes no note that lacks the words', () => {
    const glance = mayMatch(parseSearchQuery('heron'), false);
    const decoded = vi.spyOn(NoteBytes.prototype, 'text', 'get');
    try {
      const seen = (text: string): unknown => [glance('n.md' as NotePath, new NoteBytes(Buffer.from(text))), decoded.mock.calls.length];
      expect(seen('---\ntitle: Plain\n---\nPlain 知识 и проекте — “more” für')).toEqual(['none', 1]);
      decoded.mockClear();
      expect(seen('---\ntitle: Plain\n---\nPlain 知识 и проекте — more')).toEqual(['none', 0]);
    } finally {
      decoded.mockRestore();
    }
  });

  it('lower-cases only texts in which letters may be written otherwise', async () => {
    const filler = 'Plain words 知识 and more. '.repeat(100);
    const texts = { 'has.md': `${filler}ALPHA`, 'lacks.md': filler, 'marked.md': `${filler}álpha`, 'quoted.md': `${filler}al’pha` };
    const notes = searchOf(texts, { isUnread: () => true });
    const lowered = vi.spyOn(String.prototype, 'toLowerCase');
    try {
      // Snippets are cut from lower-cased texts.
      const { hits } = await notes.ask('alpha', { snippetLength: 0 });
      expect(hits.map(({ path }) => path).toSorted()).toEqual(['has.md', 'marked.md', 'quoted.md']);
      const whole = new Set(lowered.mock.contexts.map(String));
      expect(Object.entries(texts).flatMap(([path, text]) => (whole.has(text) ? [path] : []))).toEqual(['marked.md', 'quoted.md']);
    } finally {
      lowered.mockRestore();
    }
  });

  it('finds a note with a new tag that is read while a search begins', async () => {
    const notes = searchOf({ 'a.md': '#birds', 'z.md': 'others' }, { isUnread: (path) => path === 'z.md' });
    const entries = notes.graph.entries.bind(notes.graph);
    vi.spyOn(notes.graph, 'entries').mockImplementationOnce((options) => {
      const before = [...entries(options)];
      notes.put('b.md', '#birds/wading');
      return before.values();
    });
    expect((await notes.find('tag:birds')).toSorted()).toEqual(['a.md', 'b.md']);
  });
});
