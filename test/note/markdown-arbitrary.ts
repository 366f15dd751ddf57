import * as fc from 'fast-check';

/** Pieces of Markdown that mean something alone, beside and inside one another. */
const inlinePieces = [
  'word', 'ÄÖ', '😀', '日本', ' ', '  ', '\t', '[[a]]', '[[b|c]]', '[[d\\|e]]', '![[f.png|10]]', '[[#h]]', '[[', ']]', '[', ']', '![',
  '[x](y.md)', '[x y](<a b.md>)', '[t](u.md "T")', '![i](j.png)', '[e](https://e.com)', '[p](a_(b).md)', '](', '(', ')', '()', '[r][id]', '[id]', '[^1]',
  '`', '``', '`code [[n]]`', '*', '**', '_', '~~', '==', '\\', '\\[', '\\`', '<', '>', '<br>', '<b>', '</b>', '<!-- [[n]] -->', '<!--', '-->', '<https://e.com>', '<a b="c">',
  '#tag', '#a/b', '#1', '#1a', '#', '#x_y', '#_', '$', '$$', '$x$', '|', '\\|', '&amp;', '%%', 'https://e.com/#no', 'www.e.com', 'a@b.co', '^id', ' ^id', ':', '.', '!', '\u00a0', '"', "'", '{',
] as const;

const linePieces = [
  '- ', '* ', '+ ', '1. ', '2) ', '> ', '>', '  ', '    ', '\t', '# ', '## ', '###### ', '#', '- [ ] ', '```', '~~~', '````js', '---', '===', '***', '$$', '<div>', '</div>', '<script>', '</script>',
  '<!--', '-->', '<b>', '|---|', '| a | b |', '|---|---|', ':-:', '-|-', '[id]: y.md', '[id]: <a b.md> "t"', '[^1]: ', '%%', '',
] as const;

const lineArbitrary = fc
  .tuple(fc.array(fc.constantFrom(...linePieces), { maxLength: 3 }), fc.array(fc.constantFrom(...inlinePieces), { maxLength: 6 }))
  .map(([marks, words]) => marks.join('') + words.join(''));

/** Markdown in which every construct meets every other, with any line end, and sometimes a BOM or frontmatter. */
export const markdownArbitrary: fc.Arbitrary<string> = fc
  .record({
    lines: fc.array(lineArbitrary, { minLength: 1, maxLength: 8 }),
    eol: fc.constantFrom('\n', '\n', '\n', '\r\n', '\r'),
    head: fc.constantFrom('', '', '', '', '\ufeff', '---\na: 1\n---\n', '\ufeff---\r\na: "[[x]]"\r\n---\r\n'),
  })
  .map(({ lines, eol, head }) => head + lines.join(eol));
