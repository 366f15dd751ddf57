import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainYaml } from '../../../src/note/frontmatter/fast-yaml.ts';
import { findFrontmatter, readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { parseYamlValues, readByLibrary, yamlLimits } from '../../../src/note/frontmatter/yaml-values.ts';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { runs } from '../../support/effort.ts';

const path = toNotePath('note.md')!;

const scalar = fc.constantFrom(
  'word',
  'two words',
  '日本',
  '1',
  '-5',
  '0',
  '-0',
  '010',
  '1.10',
  '.5',
  '1.',
  '1e3',
  '0x1f',
  '0o7',
  '.inf',
  '-.nan',
  '1_000',
  '12:30',
  '2024-01-15',
  '+7',
  '12345678901234567890',
  'true',
  'False',
  'null',
  '~',
  'yes',
  '',
  '"quoted"',
  '"a \\" b"',
  "'it''s'",
  "'",
  '"',
  "'a' b",
  '"[[Link]]"',
  '[[Bare]]',
  '[]',
  '[a, b]',
  '[a, "b", 3]',
  '[a,]',
  '[a: b]',
  '{}',
  '{a: b}',
  '|',
  '>-',
  '&x y',
  '*x',
  '!t z',
  '@at',
  '%p',
  '`t',
  '- x',
  '-x',
  '--- x',
  '? q',
  ':c',
  'a: b',
  'a:b',
  'a:',
  'x #c',
  'x#c',
  '# c',
  'ends ',
  '[x](y.md)',
  '<% t %>',
  '{{d}}',
  'é',
  '\u00a0',
);
const key = fc.constantFrom('a', 'b', 'key two', 'CAP', 'null', 'true', '2024', 'é', '日', '"q"', 'a.b', 'x-y', '__proto__', 'k ', '-k');
const line = fc
  .tuple(fc.constantFrom('', '', '', '  ', '    ', '- ', '  - ', '# '), fc.option(key), scalar)
  .map(([indent, name, value]) => {
    const text = name === null ? value : `${name}:${value === '' ? '' : ' '}${value}`;
    return indent + text;
  });
const yaml = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, eol]) => lines.map((text) => text + eol).join(''));

describe('the short cut for plain YAML', () => {
  it('reads what it takes on exactly as the library does', () => {
    fc.assert(
      fc.property(yaml, (text) => {
        const plain = readPlainYaml(text);
        if (!plain) return;
        const read = readByLibrary(text);
        expect(read.problems).toEqual([]);
        expect(plain.data).toEqual(read.data);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('H-01 reads flow lists exactly as the library does, where it reads them', () => {
    const item = fc
      .array(
        fc.constantFrom(
          ...Array.from('ab1-?:,[]{}#&*!|>\'"%@`~.'),
          ' ',
          '  ',
          ': ',
          ' #',
          "''",
          '""',
          '"a"',
          "'b'",
          '[[c]]',
          '\u00a0',
          '\u2003',
          'é',
          '日',
          '\\',
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join(''));
    const list = fc
      .tuple(
        fc.array(item, { maxLength: 4 }),
        fc.constantFrom(',', ', ', ' ,', '  ,  '),
        fc.constantFrom('[', '[ '),
        fc.constantFrom(']', ' ]', '] ', ',]', ''),
      )
      .map(([items, comma, open, close]) => `a: ${open}${items.join(comma)}${close}\nb: 1\n`);
    let count = 0;
    fc.assert(
      fc.property(list, (text) => {
        const plain = readPlainYaml(text);
        if (plain === null) return;
        count += 1;
        const read = readByLibrary(text);
        expect(read.problems).toEqual([]);
        expect(plain.data).toEqual(read.data);
      }),
      { numRuns: runs(10_000) },
    );
    expect(count).toBeGreaterThan(runs(500));
  });

  it('takes on what notes mostly hold', () => {
    const text =
      'title: A note\ntags: [a, b]\naliases:\n  - "x: y"\n  - it\'s\nrev: 3\nparent: "[[p]]"\nevidence:\n  - type: test\n    ref: a.log\nproperties:\n  due: 2024-01-15\n  n: 1.5\n';
    expect(readPlainYaml(text)?.data).toEqual(readByLibrary(text).data);
    expect(readPlainYaml(text)).not.toBeNull();
  });
});

it('finds the block only at the start, between lines of exactly three dashes', () => {
  for (const text of ['---\na: 1\n---\n', '\ufeff---\r\na: 1\r\n--- \r\n', '--- \ra: 1\r---', '---\n---']) {
    const found = findFrontmatter(text);
    expect(found, JSON.stringify(text)).not.toBeNull();
    expect(found?.block.end).toBe(text.length);
  }
  for (const text of [
    '\n---\na: 1\n---\n',
    ' ---\na: 1\n---\n',
    '----\na: 1\n----\n',
    '---\na: 1\n----\n',
    '---\na: 1\n ---\n',
    '---',
    '---x\na: 1\n---\n',
  ]) {
    expect(findFrontmatter(text), JSON.stringify(text)).toBeNull();
  }
});

it.each(['js', 'javascript', 'JS', 'JavaScript', 'coffee', 'toml', 'json', 'constructor', 'toString', ' js'])(
  'S07 F36 ---%s is never run',
  (language) => {
    const text = `---${language}\n{ a: (globalThis.wasRun = true) }\n---\n[[link]]\n`;
    for (const reader of ['scanner', 'authoritative'] as const) {
      const note = parseNote(path, text, { reader });
      expect(Object.keys(note.frontmatter.data)).toEqual([]);
      expect(note.problems.map(({ code }) => code)).toEqual(['frontmatter-executable']);
    }
    expect('wasRun' in globalThis).toBe(false);
    expect(parseNote(path, `---\na: 1\n---\n${text}`).problems).toEqual([]);
  },
);

it('S06 S15 a block that cannot be read is reported with its line, each time anew, and the body is read', () => {
  for (let round = 0; round < 2; round += 1) {
    const note = parseNote(path, '---\na: 1\nb: x: y\n---\n[[link]] #tag');
    expect(note.frontmatter.isReadable).toBe(false);
    expect(note.problems).toMatchObject([{ code: 'frontmatter-malformed', line: 3 }]);
    expect(note.links.map(({ link }) => link)).toEqual(['link']);
    expect(note.tags).toEqual(['tag']);
  }
  expect(readFrontmatter('---\na: 1\nb: 2\na: 3\n---\n').problems).toMatchObject([{ code: 'frontmatter-duplicate-key', line: 4 }]);
  expect(readFrontmatter('---\n- a\n---\n').isReadable).toBe(false);
});

it('S14 values are read anew for each note', () => {
  const text = '---\na: {b: [1]}\n---\n';
  const first = readFrontmatter(text).data as { a: { b: number[] } };
  first.a.b.push(2);
  expect(readFrontmatter(text).data).toEqual({ a: { b: [1] } });
});

it('S11 templates are read as far as YAML allows', () => {
  expect(parseYamlValues('date: {{date}}\n')).toEqual({ date: { '{ date }': null } });
  expect(readFrontmatter('---\ntitle: <% tp.file.title %>\n---\n').data).toEqual({ title: '<% tp.file.title %>' });
});

it('S12 tags and aliases count under their own names only', () => {
  const note = parseNote(path, '---\ntags: a, b #c\ntag: x\nTAGS: y\naliases: one, two\nalias: z\n---\n');
  expect(note.tags).toEqual(['a', 'b', 'c'].slice(0, 2));
  expect(note.aliases).toEqual(['one, two']);
});

it('S09 F37 bombs and oversized blocks are refused', () => {
  const bomb = 'a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: &d [*c, *c, *c]\ne: [*d, *d, *d]\n';
  const keys = Array.from({ length: yamlLimits.keys + 1 }, (_, index) => `k${index}: v\n`).join('');
  const deep = Array.from({ length: 30 }, (_, index) => `${' '.repeat(index)}k:\n`).join('');
  for (const block of [bomb, keys, deep, `a: ${'['.repeat(10_000)}\n`, `a: "${'x'.repeat(70_000)}"\n`, 'a: &a [*a]\n']) {
    const { isReadable, problems, data } = readFrontmatter(`---\n${block}---\n`);
    expect(isReadable, block.slice(0, 20)).toBe(false);
    expect(problems).toHaveLength(1);
    expect(Object.keys(data)).toEqual([]);
  }
});

it('F37 keys that reach a prototype are dropped, and maps have none', () => {
  const { data, problems } = readFrontmatter('---\n__proto__: {x: 1}\nconstructor: 2\na: {prototype: 3, b: 4}\n---\n');
  expect(data).toEqual({ a: { b: 4 } });
  expect(Object.getPrototypeOf(data)).toBeNull();
  expect(Object.getPrototypeOf(data['a'])).toBeNull();
  expect(problems.map(({ code }) => code)).toEqual(['frontmatter-dropped-key', 'frontmatter-dropped-key', 'frontmatter-dropped-key']);
  expect('x' in {}).toBe(false);
});

it('digits beyond what a number holds stay as written', () => {
  expect(parseYamlValues('id: 12345678901234567890\nn: 9007199254740991\n')).toEqual({ id: '12345678901234567890', n: 9007199254740991 });
});

it('W17 W18 W19 W20 links in properties stand where the YAML has them', () => {
  const text = `---\r\nup: "[[a|x]]"\nlist:\n  - '[[It''s#h]]'\n  - "[[\\u0062]]"\nmd: see [t](c%20d.md) there\nbare: [[no]]\ntext: not [[no]] whole\ndeep: {e: "[[e]]"}\nblock: |\n  [[no]]\n---\n[[body]]`;
  const found = parseNote(path, text).links.map(({ property, link, target }) => [property, link, text.slice(target.start, target.end)]);
  expect(found).toEqual([
    ['up', 'a', 'a'],
    ['list.0', "It's#h", "It''s#h"],
    ['list.1', 'b', '\\u0062'],
    ['md', 'c d.md', 'c%20d.md'],
    ['deep.e', 'e', 'e'],
    [undefined, 'body', 'body'],
  ]);
});
