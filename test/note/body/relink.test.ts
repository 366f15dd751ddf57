import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { readLinks } from '../../../src/note/body/relink.ts';
import type { Relink } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { encodeDestination } from '../../../src/note/markdown/link-text.ts';
import { runs } from '../../support/effort.ts';

const relink = (text: string, ...links: Relink[]): string => applyChanges('a.md', text, [{ op: 'relink', links }]).text;
const both = (from: string, to: string): Relink[] => [
  { link: from, form: 'wikilink', to },
  { link: from, form: 'markdown', to },
  { link: from, form: 'reference', to },
];

describe('rewriting links where they stand', () => {
  it('rewrites only the form that is asked for', () => {
    expect(relink('[[a]] [x](a)', { link: 'a', form: 'wikilink', to: 'b' })).toBe('[[b]] [x](a)');
    expect(relink('[[a]] [x](a)', { link: 'a', form: 'markdown', to: 'b' })).toBe('[[a]] [x](b)');
  });

  it('leaves code, comments, escapes and look-alikes alone', () => {
    const text =
      '`[[a]]` \\[[a]] <!-- [[a]] -->\n\n    [[a]]\n\n~~~\n[[a]]\n~~~\n\n<div>\n[[a]]\n</div>\n\n$x [[a]]$ [[ab]] [[a/b]] [[A]]\n';
    expect(relink(text, ...both('a', 'b'))).toBe(text);
  });

  it('replaces an alias or a label only where it is the one that is named', () => {
    const label = { from: 'Old', to: 'New' };
    expect(relink('[[f/Old|Old]] [[f/Old| Old ]] [[f/Old|Old one]]', { link: 'f/Old', form: 'wikilink', to: 'f/New', label })).toBe(
      '[[f/New|New]] [[f/New| New ]] [[f/New|Old one]]',
    );
    expect(relink('[Old](Old.md) ![Old](<Old.md> "Old") [Old x](Old.md)', { link: 'Old.md', form: 'markdown', to: 'New.md', label })).toBe(
      '[New](New.md) ![New](<New.md> "Old") [Old x](New.md)',
    );
  });

  it('rewrites links in nested properties, each in its own quotes', () => {
    const text = '---\nup: \'[[a]]\'\nmap:\n  l: [ "[[a|x]]", b ] # c\n  m:\n    - k: "[[a]]"\n---\n';
    expect(relink(text, ...both('a', "it's"))).toBe(
      "---\nup: '[[it''s]]'\nmap:\n  l: [ \"[[it's|x]]\", b ] # c\n  m:\n    - k: \"[[it's]]\"\n---\n",
    );
  });

  it('refuses a name that the link cannot hold, and changes nothing', () => {
    expect(() => relink('[[a]]', ...both('a', 'x]]y'))).toThrow(RouxError);
    expect(() => relink('[[a]]', ...both('a', 'x|y'))).toThrow(RouxError);
  });

  it('a destination reads back as the name it was written for', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'a b',
        'a(b',
        'a)b',
        '(a)',
        'a%20b',
        'a%',
        'a&amp;b',
        'a&b',
        'a\\b',
        'a<b>',
        'é 😀',
        'a"b',
        "a'b",
        '%25',
        'a*b_c`d~',
        'x\u00a0y',
        '#h (1',
        '!a',
        'a;b=c',
      ),
      fc
        .string({ unit: fc.constantFrom(...Array.from(' ()%&\\<>"\'*_`~!#é😀a1.-/;')) })
        .filter((text) => text.trim() === text && text !== '' && !text.startsWith('//')),
    );
    fc.assert(
      fc.property(name, fc.boolean(), (to, isAngled) => {
        const destination = encodeDestination(to, isAngled);
        const text = isAngled ? `[t](<${destination}>)` : `[t](${destination})`;
        expect(readLinks(text).map((link) => link.link)).toEqual([to]);
      }),
      { numRuns: runs(150) },
    );
  });

  it('there and back leaves every byte as it was, whatever stands around the links', () => {
    const piece = fc.constantFrom(
      '[[Old]]',
      '![[Old|100]]',
      '[[ Old #h]]',
      '[[Old#^b|x]]',
      '[t](Old)',
      '[t](<Old>)',
      '[Old](Old "t")',
      '![a](Old)',
      '`[[Old]]`',
      '%% [[Old]] %%',

      '<!-- [[Old]] -->',
      '\n\n| a | b |\n|---|---|\n| [[Old\\|x]] | [[Old]] |\n\n',
      '\n\n```\n[[Old]]\n```\n\n',
      '\n- [ ] [[Old]] #tag\n',
      '\n> [!note] [[Old]]\n> ![[Old]]\n\n',
      '[x [[Old]] y](u)',
      '[[Older]]',
      '\n\n[r]: Old "t"\n\n',
      '# [[Old]] ^b\n',
      'text é 😀 ',
      '\\[[Old]]',
      '[[Old',
      '\t',
      '  \n',
      '*[[Old]]*',
      '==[[Old]]==',
      '[[Other|Old]]',
      '$[[Old]]$',
      '[^1]',
      '\n[^1]: [[Old]]\n',
      '<span>[[Old]]</span>',
    );
    const head = fc.constantFrom('', '\ufeff', '---\nup: "[[Old]]"\nl: [\'[[Old|x]]\']\n---\n', '---\n# [[Old]]\nx: "a [[Old]]"\n---\n');
    fc.assert(
      fc.property(head, fc.array(piece, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (start, pieces, eol) => {
        const text = (start + pieces.join(' ')).replaceAll('\n', eol);
        const texts = [...new Set(readLinks(text).map((link) => link.link))].filter((link) => /^Old *(?:#|$)/.test(link));
        const links = texts.flatMap((link) => both(link, link.replace('Old', "N (1) 'é")));
        const back = texts.flatMap((link) => both(link.replace('Old', "N (1) 'é"), link));
        const there = relink(text, ...links);
        expect(readLinks(there).filter((link) => /^Old *(?:#|$)/.test(link.link))).toEqual([]);
        expect(relink(there, ...back)).toBe(text);
      }),
      { numRuns: runs(100) },
    );
  });
});
