import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSection, listSections } from '../../../src/note/body/find-heading.ts';
import { patchBody } from '../../../src/note/body/patch.ts';
import type { BodyPart } from '../../../src/note/body/patch.ts';
import { runs } from '../../support/effort.ts';

const replace = (find: string, by: string, all = false): BodyPart => ({ kind: 'replace', find, by, all, field: 'edits[0]' });
const insert = (at: 'start' | 'end', text: string, under: string | null = null, makes = false): BodyPart => ({
  kind: 'insert',
  at,
  text,
  under,
  makes,
  isAbove: false,
});
const section = (heading: string, text: string): BodyPart => ({ kind: 'section', heading, text });

/** The text with a part changed; as it is where that is refused for what the text has, or has not. */
function patched(text: string, part: BodyPart): string {
  try {
    return patchBody(text, [part]);
  } catch (error) {
    if (error instanceof Error && /no heading|times|frontmatter|change how/.test(error.message)) return text;
    throw error;
  }
}

const LOG = '---\nid: x\n---\n# Plan\nIntro.\n\n## Log\n- one\n\n### Deep\ndeep\n\n## Next\nlast\n';

describe('patches of a body', () => {
  for (const [what, text, parts, after] of [
    ['append at the end', 'a\n', [insert('end', 'b')], 'a\nb\n'],
    ['append where the last line has no end', 'a', [insert('end', 'b\n')], 'a\nb'],
    ['append to nothing', '', [insert('end', 'b')], 'b\n'],
    ['append to frontmatter only', '---\na: 1\n---\n', [insert('end', 'b')], '---\na: 1\n---\nb\n'],
    ['append to frontmatter without a last line end', '---\na: 1\n---', [insert('end', 'b')], '---\na: 1\n---\nb\n'],
    ['append in the line ends of the body', 'a\r\n', [insert('end', 'b\nc')], 'a\r\nb\r\nc\r\n'],
    ['append under a heading with others below it', LOG, [insert('end', '- two', 'Log')], LOG.replace('deep\n', 'deep\n- two\n')],
    ['append under a path', LOG, [insert('end', 'x', 'Plan > Log > Deep')], LOG.replace('deep\n', 'deep\nx\n')],
    ['append under a heading with nothing below', '## A\n\n## B\n', [insert('end', 'x', 'A')], '## A\nx\n\n## B\n'],
    ['append under the last heading without a line end', '## A', [insert('end', 'x', 'A')], '## A\nx'],
    ['append under an underlined heading', 'Log\n---\none\n\nB\n===\n', [insert('end', 'two', 'Log')], 'Log\n---\none\ntwo\n\nB\n===\n'],
    ['append under a heading that is made', 'a\n', [insert('end', 'x', 'Log', true)], 'a\n\n## Log\n\nx\n'],
    ['append under one made below another', LOG, [insert('end', 'x', 'Log > New', true)], LOG.replace('deep\n', 'deep\n\n### New\n\nx\n')],
    ['append under two that are made', '', [insert('end', 'x', 'A > B', true)], '## A\n\n### B\n\nx\n'],
    ['append under one made with its marks', 'a', [insert('end', 'x', '# Log', true)], 'a\n\n# Log\n\nx'],
    ['prepend', LOG, [insert('start', 'top')], LOG.replace('# Plan', 'top\n# Plan')],
    ['prepend before a BOM is not before it', '\ufeffa\n', [insert('start', 'b')], '\ufeffb\na\n'],
    ['prepend under a heading', LOG, [insert('start', '- zero', 'log')], LOG.replace('## Log\n', '## Log\n- zero\n')],
    ['both ends of nothing', '', [insert('start', 'a'), insert('end', 'b')], 'a\nb\n'],
    ['a section', LOG, [section('Log', 'new\n')], LOG.replace('- one\n\n### Deep\ndeep', 'new')],
    ['a section with a blank line below its heading', '## A\n\nold\n\n## B\n', [section('A', 'new')], '## A\n\nnew\n\n## B\n'],
    ['a section that repeats its heading', LOG, [section('Next', '## Next\n\nnew')], LOG.replace('last', 'new')],
    ['a section to nothing', '## A\n\nold\n\n## B\n', [section('A', '')], '## A\n\n## B\n'],
    ['a section of nothing', '## A\n## B\n', [section('A', 'x')], '## A\nx\n## B\n'],
    ['a section in lines of Windows', '## A\r\nold\r\n', [section('A', 'x\ny')], '## A\r\nx\r\ny\r\n'],
    ['an edit', 'a b c\n', [replace('b', 'x')], 'a x c\n'],
    ['all of an edit', 'a a a', [replace('a', 'aa', true)], 'aa aa aa'],
    ['an edit over lines of Windows', 'a\r\nb\r\nc', [replace('a\nb', 'x\ny')], 'x\r\ny\r\nc'],
    ['an edit sent in lines of Windows', 'a\nb\nc', [replace('a\r\nb', 'x\r\ny')], 'x\ny\nc'],
    ['all of an edit where line ends are mixed', 'a\nb\n--\r\na\r\nb\r\n', [replace('a\nb', 'Z', true)], 'Z\n--\r\nZ\r\n'],
    ['edits between line ends that are mixed', 'x\r\ny\nz\r\n', [replace('y\r\nz', '1'), replace('x\n', '2')], '21\r\n'],
    ['an edit to nothing', 'a b', [replace(' b', '')], 'a'],
    ['an edit of what the frontmatter has too', '---\nt: one\n---\none\n', [replace('one', 'two')], '---\nt: one\n---\ntwo\n'],
    ['a checkbox', '- [ ] a\n- [ ] b\n', [replace('- [ ] b', '- [x] b')], '- [ ] a\n- [x] b\n'],
    ['edits that touch', 'abcd', [replace('ab', '1'), replace('cd', '2')], '12'],
    ['an edit and an end', 'ab', [replace('ab', 'x'), insert('end', 'y')], 'x\ny'],
    ['text after a list item', '- a\n', [insert('end', 'b')], '- a\n\nb\n'],
    ['text after a block id', 'Para ^b1\n', [insert('end', 'hello')], 'Para ^b1\n\nhello\n'],
    ['text after a callout', '> [!note]\n> x', [insert('end', 'b')], '> [!note]\n> x\n\nb'],
    ['text after a table', '| a |\n|---|\n| 1 |\n', [insert('end', 'b')], '| a |\n|---|\n| 1 |\n\nb\n'],
    ['a row after a table', '| a |\n|---|\n| 1 |\n', [insert('end', '| 2 |')], '| a |\n|---|\n| 1 |\n| 2 |\n'],
    ['a rule after text', 'last\n', [insert('end', '---\n\nx')], 'last\n\n---\n\nx\n'],
    ['text before an underlined heading', '# A\nB\n===\nrest\n', [insert('end', 'new', 'A')], '# A\nnew\n\nB\n===\nrest\n'],
    ['text at the top before an underlined heading', 'B\n---\n', [insert('start', 'new')], 'new\n\nB\n---\n'],
    ['an item before text', 'text\n', [insert('start', '- a')], '- a\n\ntext\n'],
    ['both ends of nothing that are read into one another', '', [insert('start', '- a'), insert('end', 'para')], '- a\n\npara\n'],
    ['both ends of an empty section', '## E\n\n## F\n', [insert('start', '- a', 'E'), insert('end', 'p', 'E')], '## E\n- a\n\np\n\n## F\n'],
    ['a section and its end', '## F\n- a\n', [section('F', '- b'), insert('end', 'p', 'F')], '## F\n- b\n\np\n'],
    ['an edit and text beside it', 'x\n', [replace('x', '- x'), insert('end', 'p')], '- x\n\np\n'],
    ['text that would be read into code in the line above', 'a ` b\n', [insert('end', '#tag ` c')], 'a ` b\n\n#tag ` c\n'],
    ['text above a list that counts on', '2. b\n3. c #t\n', [insert('start', 'p')], 'p\n2. b\n3. c #t\n'],
    ['an edit that takes a heading away', '## A\n[[x]]\n', [replace('## A\n', '')], '[[x]]\n'],
    ['an edit that goes on with a heading', '## A\n\nx\n', [replace('\n\nx', ' b\n\nx')], '## A b\n\nx\n'],
    ['an edit that closes a block', '```\na\n# H\n', [replace('a', 'a\n```')], '```\na\n```\n# H\n'],
    ['an edit that hides what it holds', '# A\n[[x]]\n', [replace('[[x]]', '`[[x]]`')], '# A\n`[[x]]`\n'],
    ['an edit in an open code block', '```\nrun\n', [replace('run', 'go')], '```\ngo\n'],
    ['no heading in code', '```\n## A\n```\n## B\nb\n', [insert('end', 'x', 'B')], '```\n## A\n```\n## B\nb\nx\n'],
  ] as const) {
    it(`makes: ${what}`, () => {
      expect(patchBody(text, parts)).toBe(after);
    });
  }

  for (const [what, text, parts, message] of [
    ['an edit that stands twice', 'a\nb a\n', [replace('a', 'x')], /edits\[0\]\.find occurs 2 times: line 1 "a", line 2 "b a"/],
    ['an edit that stands twice with other line ends', 'a\nb\n--\r\na\r\nb\r\n', [replace('a\nb', 'Z')], /2 times: line 1 "a", line 4 "a"/],
    ['an edit that overlaps itself', 'aaa', [replace('aa', 'x')], /2 times/],
    ['an edit that stands nowhere', 'a', [replace('z', 'x')], /does not occur in the body/],
    ['an edit that stands there otherwise', 'x\nHello  World', [replace('hello world', 'x')], /line 2 has it .* "Hello {2}World"/],
    ['an edit of frontmatter', '---\nt: one\n---\n', [replace('t: one', 'x')], /only in the frontmatter/],
    ['an empty edit', 'a', [replace('', 'x')], /is empty/],
    ['edits that overlap', 'abc', [replace('ab', '1'), replace('bc', '2')], /overlap/],
    ['an edit of a section that is replaced', '## A\nold\n', [section('A', 'x'), replace('old', 'y')], /overlap/],
    [
      'a heading that is missing',
      LOG,
      [insert('end', 'x', 'Nope')],
      /Its headings: # Plan, ## Log, ### Deep, ## Next\. create: true makes it/,
    ],
    ['a heading that stands twice', '## A\n\n## A\n', [section('A', 'x')], /is there 2 times, on lines 1, 3/],
    ['a body that would be frontmatter', 'a\n', [insert('start', '---\nb: 1\n---')], /read as frontmatter/],
    ['a heading below an open code block', 'x\n\n```\nopen\n', [insert('end', 'x', 'New', true)], /would change how/],
    ['an end that hides what comes', '# A\n\n# B\n', [insert('start', '```\nopen')], /would change how/],
    ['an edit that opens a block above a link', 'a\n[[x]]\n', [replace('a', '```\na')], /"\[\[x\]\]" on line 2/],
    ['an edit that takes the end of a block away', '```\na\n```\n# H\n', [replace('a\n```', 'a')], /"# H" on line 4/],
    ['edits that hide what stands between them', '# A\n#t\nend\n', [replace('# A', '<!--'), replace('end', '-->')], /"#t" on line 2/],
    ['an edit that hides an entry', '## Relations\n- a\n- b\n', [replace('- a', '```\n- a')], /"- b" on line 3/],
    ['an edit of a heading that hides its entries', '## Relations\n- a\n', [replace('## Relations', '<!--')], /"- a" on line 2/],
    ['an edit that takes entries to another section', '## Relations\n- a\n- b\n', [replace('- a', '- a\n\n## X')], /"- b" on line 3/],
    ['a second section of that name above', '## Relations\n- a\n', [insert('start', '## Relations\n- c')], /"- a" on line 2/],
    ['a section that opens a block', '# A\n\n# B\n#t\n', [section('A', '<!-- note')], /"# B" on line 3/],
    ['text in an open block', '```\nopen\n', [insert('end', 'plain')], /is open there/],
    ['a harmless edit beside text in an open block', 'x\n```\nopen\n', [replace('x', 'y'), insert('end', '[[b]]')], /is open there/],
    ['text in an open comment', 'x\n<!-- open\n', [insert('end', '## H')], /is open there/],
    ['a heading of several lines', 'a', [insert('end', 'x', 'A\nB', true)], /cannot be a heading/],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => patchBody(text, parts)).toThrow(message);
    });
  }

  it('tells headings of one name apart by their marks, their case and what is above them', () => {
    const text = '# A\n## Log\n# B\n## Log\n### log\n';
    expect(patchBody(text, [insert('end', 'x', 'B > Log')])).toBe('# A\n## Log\n# B\n## Log\n### log\nx\n');
    expect(patchBody(text, [insert('start', 'x', 'A#Log')])).toBe('# A\n## Log\nx\n# B\n## Log\n### log\n');
    expect(patchBody(text, [insert('end', 'x', 'log')])).toBe('# A\n## Log\n# B\n## Log\n### log\nx\n');
    expect(() => patchBody(text, [insert('end', 'x', 'Log')])).toThrow('lines 2, 4; name it with the headings above it');
    expect(patchBody(text, [insert('start', 'x', 'Log (line 4)')])).toBe('# A\n## Log\n# B\n## Log\nx\n### log\n');
    expect(() => patchBody(text, [insert('end', 'x', 'Log (line 3)')])).toThrow('has no heading "Log (line 3)"');
    expect(patchBody('## C\n## C++\n', [insert('end', 'x', 'C++')])).toBe('## C\n## C++\nx\n');
  });

  it('finds a path of headings in linear time, however many of one name there are', () => {
    let looks = 0;
    const sections = listSections('# A\n'.repeat(20_000)).map(({ start, ...section }) => ({
      ...section,
      get start() {
        looks += 1;
        return start;
      },
    }));
    expect(findSection(sections, 'A > A', 'under')).toBe(null);
    expect(looks).toBeLessThan(40 * sections.length);
  });

  it('is not made twice where it can be seen, after a crash', () => {
    for (const parts of [
      [insert('end', 'new line')],
      [insert('end', 'x', 'Log')],
      [replace('Intro', 'Intro and more')],
      [section('Next', 'n')],
    ]) {
      const once = patchBody(LOG, parts);
      expect(patchBody(once, parts, { isRepeat: true })).toBe(once);
    }
  });

  it('keeps every byte but those of the parts, whatever the text', () => {
    const line = fc.constantFrom('# A', '## B', '## A', '- [ ] x', 'text', '', '> # Q', '```', 'a: 1', '---');
    const texts = fc.tuple(fc.boolean(), fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), fc.boolean());
    fc.assert(
      fc.property(texts, fc.constantFrom('A', 'B', 'A > B'), fc.constantFrom('start' as const, 'end' as const), (given, under, at) => {
        const [hasBlock, lines, eol, isEnded] = given;
        const text = `${hasBlock ? `---${eol}k: v${eol}---${eol}` : ''}${lines.join(eol)}${isEnded ? eol : ''}`;
        for (const part of [insert(at, 'NEW', under), insert(at, 'NEW')]) {
          const after = patched(text, part);
          const [before = '', rest = '', ...more] = after.split('NEW');
          expect(more).toEqual([]);
          // One line end or two on each side.
          const heads = [0, 1, 2].map((count) => before.replace(new RegExp(`(\\r?\\n){0,${count}}$`), ''));
          const tails = [0, 1, 2].map((count) => rest.replace(new RegExp(`^(\\r?\\n){0,${count}}`), ''));
          expect(heads.flatMap((head) => tails.map((tail) => head + tail))).toContain(text);
          expect(text.includes('\r\n') && /[^\r]\n/.test(after)).toBe(false);
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
