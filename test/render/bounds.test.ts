import { describe, expect, it } from 'vitest';
import { render } from '../support/render/sources.ts';

/** Notes that parsers and renderers have been slow on. Most are beyond what the scanner lets pass; what it lets pass ends soon. */
const WORST: readonly (readonly [name: string, body: (size: number) => string])[] = [
  ['words', (size) => 'word '.repeat(size / 5)],
  ['paragraphs', (size) => 'some words here\n\n'.repeat(size / 17)],
  ['quotes in quotes', (size) => `${'>'.repeat(size)} x`],
  [
    'lists in lists',
    (size) =>
      Array.from({ length: 400 }, (_, at) => `${'  '.repeat(at)}- x`)
        .join('\n')
        .slice(0, size),
  ],
  ['open brackets', (size) => '['.repeat(size)],
  ['open links', (size) => '[['.repeat(size / 2)],
  ['open embeds', (size) => '![['.repeat(size / 3)],
  ['stars', (size) => '*a '.repeat(size / 3)],
  ['stars and underscores', (size) => '*_'.repeat(size / 2)],
  ['emphasis in emphasis', (size) => `${'**a '.repeat(size / 8)}${'b** '.repeat(size / 8)}`],
  ['backticks', (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => '`'.repeat(at)).join(' ')],
  ['open tags', (size) => '<a href="'.repeat(size / 9)],
  [
    'formatting elements with differing attributes',
    (size) => `${Array.from({ length: size / 40 }, (_, at) => `<b title="${at}">`).join('')}${'<p>x'.repeat(size / 8)}`,
  ],
  ['divs in divs', (size) => '<div>'.repeat(size / 5)],
  ['tables', (size) => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(size / 6)}`],
  ['wide tables', (size) => `${'|a'.repeat(size / 8)}|\n${'|-'.repeat(size / 8)}|\n${'|x'.repeat(size / 8)}|`],
  ['highlights', (size) => '=='.repeat(size / 2)],
  ['comments', (size) => '%% '.repeat(size / 3)],
  ['open comments', (size) => '%% a\n\n'.repeat(size / 6)],
  ['tags', (size) => '#tag '.repeat(size / 5)],
  [
    'footnotes',
    (size) =>
      Array.from({ length: size / 24 }, (_, at) => `[^${at}] `).join('') +
      Array.from({ length: size / 24 }, (_, at) => `\n\n[^${at}]: x`).join(''),
  ],
  ['one footnote many times', (size) => `${'[^1] '.repeat(size / 5)}\n\n[^1]: x`],
  ['inline footnotes', (size) => '^[x]'.repeat(size / 4)],
  ['math', (size) => '$x^2$ '.repeat(size / 6)],
  ['nested math', (size) => `$$\n${'{'.repeat(size / 2)}${'}'.repeat(size / 2)}\n$$`],
  ['macros', (size) => `$$\n\\def\\a{${'\\a\\a'.repeat(100)}}\\a\n$$\n`.repeat(size / 600)],
  ['callouts', (size) => '> [!note] x\n> y\n\n'.repeat(size / 19)],
  ['headings', (size) => '# same\n'.repeat(size / 7)],
  ['code', (size) => `\`\`\`js\n${'const a = `${b}`;\n'.repeat(size / 18)}\`\`\``],
  ['definitions', (size) => Array.from({ length: size / 20 }, (_, at) => `[d${at}]: /x${at}\n`).join('')],
  ['references', (size) => `${'[x][y] '.repeat(size / 7)}\n\n[y]: z.md`],
];

describe('render: what is large or hostile ends', () => {
  for (const [name, body] of WORST) {
    it(`the answer grows with the length, not faster: ${name}`, () => {
      const [small, large] = [3_000, 12_000].map((size) => render(body(size)).html.length / size) as [number, number];
      expect(large).toBeLessThan(Math.max(10, small * 1.5));
    });
  }

  it('a long note comes in parts that together are all of it, cut between paragraphs', () => {
    const paragraphs = Array.from({ length: 4_000 }, (_, at) => `Paragraph ${at} of a long note, with words in it that make it longer.`);
    const body = paragraphs.join('\n\n');
    const seen: string[] = [];
    let parts = 0;
    for (let offset: number | null = 0; offset !== null; parts += 1) {
      const rendered = render(body, {}, { offset, maxCharacters: 30_000 });
      seen.push(...[...rendered.html.matchAll(/Paragraph (\d+) /g)].map((match) => match[1] ?? ''));
      offset = rendered.nextOffset;
    }
    expect(parts).toBeGreaterThan(9);
    expect(seen).toEqual(paragraphs.map((_, at) => String(at)));
  });

  it('embeds nest five deep, say when they embed themselves, and end where too much is embedded', () => {
    const chain = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`n${at}.md`, `level ${at}\n\n![[n${at + 1}]]`]));
    const deep = render('![[n0]]', chain).html;
    expect(deep).toContain('level 4');
    expect(deep).not.toContain('level 5');
    expect(deep).toContain('nested too deeply to be shown');
    expect(render('![[a]]').html).toContain('embeds itself');
    expect(render('![[b]]', { 'b.md': '![[c]]', 'c.md': '![[b]]' }).html).toContain('embeds itself');
    expect(render('# x\n\n![[#x]]').html).toContain('embeds itself');
    const wide = render('![[b]]\n\n'.repeat(500), { 'b.md': 'x '.repeat(1_000) });
    expect(wide.html).toContain('This note has too many embeds to show them all.');
    expect(wide.html.length).toBeLessThan(1_000_000);
    // Each of them twice the one below: two to the power of fifty without a bound.
    const doubling = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`d${at}.md`, `![[d${at + 1}]]\n\n![[d${at + 1}]]`]));
    expect(render('![[d0]]', doubling).html.length).toBeLessThan(1_000_000);
  });

  it('what is nested too deeply is shown as the text that it is, and says so', () => {
    const { html, notices } = render(`${'> '.repeat(200)}deep`);
    expect(html).toContain('deep');
    expect(notices).toEqual(['A part is nested too deeply, so it is shown as plain text.']);
  });
});
