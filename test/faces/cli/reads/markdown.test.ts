import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/faces/cli/reads/rendered/markdown.ts';
import { createTerminal, widthOf } from '../../../../src/faces/cli/terminal.ts';

const plain = createTerminal({ isTTY: false }, {});
const colored = createTerminal({ isTTY: true }, {});

const render = (text: string, columns = 60): string => renderMarkdown(text, { columns, paint: plain.paint });

describe('U-13 a note on a terminal', () => {
  it('U-13 shows headings, lists, checkboxes, quotes, callouts, links, code and rules as one reads them', () => {
    const shown = render(
      [
        '---',
        'tags: [a]',
        '---',
        '# A **big** title',
        '- one [[Note|with a name]]',
        '  1. two ![[Picture.png]]',
        '- [ ] open',
        '- [x] done',
        '> quoted `code`',
        '> [!warning] Mind the **gap**',
        '[site](https://example.org) \\*not slanted\\*',
        '```js',
        'const a = [[1]];',
        '```',
        '---',
      ].join('\n'),
      30,
    );
    expect(shown.split('\n')).toEqual([
      'tags: [a]',
      'A big title',
      '• one with a name',
      '  1. two ↪ Picture.png',
      '☐ open',
      '☑ done',
      '│ quoted code',
      '│ Warning: Mind the gap',
      'site (https://example.org)',
      '*not slanted*',
      '  js',
      '  const a = [[1]];',
      '─'.repeat(30),
    ]);
  });

  it('U-13 breaks between words and indents what belongs to an item; aligns a table, and shows a wide one as it is written', () => {
    expect(render('- one two three four five six seven', 20)).toBe('• one two three four\n  five six seven');
    expect(render('| a | bcd |\n|---|---|\n| 12 | [[x\\|y]] |')).toBe(' a  │ bcd \n────┼─────\n 12 │ y   ');
    const wide = `| ${'x'.repeat(50)} | b |\n|---|---|\n| 1 | 2 |`;
    expect(render(wide, 40)).toBe(wide);
  });

  it('U-13 says every word of the text, whatever it is, within the columns', () => {
    const words = fc.array(
      fc.constantFrom('a', 'bc', '**', '*', '[[', ']]', '|', '`', '> ', '- ', '# ', '\n', ' ', '[x](y)', '```', '==', '~~', '\\'),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        const shown = render(text, 24);
        expect(shown.replaceAll(/[^abc]/g, '').length).toBeGreaterThanOrEqual(text.replaceAll(/[^abc]/g, '').length - hiddenIn(text));
        const isWhole = (line: string): boolean => /\S{20}|^\s*\||^ {2}/u.test(line);
        const lines = render(`${text}\n`, 24).split('\n');
        expect(lines.filter((line) => !isWhole(line) && widthOf(line) > 26)).toEqual([]);
      }),
    );
  });

  it('U-13 lets no text of a note act on the terminal', () => {
    const shown = colored.show(
      renderMarkdown('# \u001b]0;x\u0007\n**\u001b[2J**\n```\n\u001b[1m\n```\n| \u001b[5m | b |\n|---|---|', {
        columns: 60,
        paint: colored.paint,
      }),
    );
    // eslint-disable-next-line no-control-regex -- What is looked for are control characters.
    expect(shown.replaceAll(/\u001b\[\d+m/gu, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/u);
    expect(shown).toContain(String.raw`\x1b[2J`);
    expect(shown).not.toContain('\u001b[5m');
  });
});

/** The letters that a rendered text may leave out: the targets of links that have a label, and the language of a fence that ends. */
function hiddenIn(text: string): number {
  const targets = [...text.matchAll(/\[\[([^[\]|]*)\|/g)].map(([, target = '']) => target);
  return targets.join('').replaceAll(/[^abc]/g, '').length;
}
