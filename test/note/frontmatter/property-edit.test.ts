import { describe, expect, it } from 'vitest';
import type { NoteChange } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import type { PropertyValue } from '../../../src/note/note.ts';
import { awkward, edit, lineChanges, plain, refusal, set } from './frontmatter-edits.ts';

const read = (text: string): unknown => plain(readFrontmatter(text).data);

describe('properties are edited in place', () => {
  it('S01 sets rev among comments, odd spacing and flow lists with a one-line diff', () => {
    const before = '---\n# head\ntitle:   "A: b"   # why\ntags: [ a,b ]\n\nrev:   3  # count\nlist:\n- x\n# end\n---\nbody\n';
    expect(lineChanges(before, edit(before, set('rev', 4)))).toEqual({ removed: ['rev:   3  # count\n'], added: ['rev:   4  # count\n'] });
  });

  it('S01 puts numbers and times where the old ones stand, and into no other line that looks like theirs', () => {
    const time = ['2026-01-02T03:04:05.678Z', '2027-01-02T03:04:05.678Z'] as const;
    const rest = "text: |\n  rev: 3\nquote: 'a\n  rev: 3'\nmap:\n  rev: 3\nlist:\n  - rev: 3\n# rev: 3\nrevs: 3\n";
    for (const eol of ['\n', '\r\n']) {
      const before = `---\n${rest}rev: 3\nupdated_at: ${time[0]}\n---\nrev: 3\n`.replaceAll('\n', eol);
      const after = applyChanges('note.md', before, [set('rev', 4), set('updated_at', time[1])]).text;
      expect(lineChanges(before, after)).toEqual({
        removed: [`rev: 3${eol}`, `updated_at: ${time[0]}${eol}`],
        added: [`rev: 4${eol}`, `updated_at: ${time[1]}${eol}`],
      });
      expect(after.slice(after.indexOf(`rev: 4`))).toBe(['rev: 4', `updated_at: ${time[1]}`, '---', 'rev: 3', ''].join(eol));
    }
    expect(edit("---\nrev: '3'\n---\n", set('rev', 4))).toBe('---\nrev: 4\n---\n');
  });

  it('S02 inserts a block into a note without one and leaves the body as it was', () => {
    for (const body of ['', 'hello', '# Title\r\ntext\r\n', '\ufeffhello\n', 'a\rb\r']) {
      const after = edit(body, set('rev', 1));
      const eol = /\r\n|\r|\n/.exec(body)?.[0] ?? '\n';
      const bom = body.startsWith('\ufeff') ? '\ufeff' : '';
      expect(after).toBe(`${bom}---${eol}rev: 1${eol}---${eol}${body.slice(bom.length)}`);
    }
  });

  it('S03 keeps empty and comment-only blocks and adds below the comments', () => {
    expect(edit('---\n---\nx', set('rev', 1))).toBe('---\nrev: 1\n---\nx');
    expect(edit('---\n# only\n# comments\n---\nx', set('rev', 1))).toBe('---\n# only\n# comments\nrev: 1\n---\nx');
    expect(edit('---\nrev: 1\n---\nx', { op: 'unset', key: ['rev'] })).toBe('---\n---\nx');
  });

  it('S04 writes new lines with the line ends of the file', () => {
    expect(edit('---\r\na: 1\r\n---\r\nx\n', set('b', ['c', { d: 1 }]))).toBe('---\r\na: 1\r\nb:\r\n  - c\r\n  - d: 1\r\n---\r\nx\n');
    expect(edit('---\ra: 1\r---\rx', set('b', 'y'))).toBe('---\ra: 1\rb: y\r---\rx');
  });

  it('S05 writes text that needs quotes so that it reads back the same', () => {
    for (const value of awkward) {
      for (const before of [
        '---\na: 1\n---\nx',
        "---\na: 'q'\n---\nx",
        '---\na: "q"\n---\nx',
        '---\n{"a": "q"}\n---\nx',
        '---\na: [q]\n---\n',
        '---\r\na:\r\n- q\r\n---\r\n',
      ]) {
        expect(read(edit(before, set('a', value)))).toEqual(plain({ a: value }));
        expect(read(edit(before, set('b', [value, { [value.slice(0, 1000)]: value }])))).toMatchObject(
          plain({ b: [value, { [value.slice(0, 1000)]: value }] }) as object,
        );
        expect(read(edit(before, { op: 'append', key: ['l'], value }))).toMatchObject(plain({ l: [value] }) as object);
      }
    }
  });

  it('S05 leaves quotes away where none are needed and keeps the kind that is there', () => {
    expect(edit('---\na: x\n---\n', set('a', 'plain text'))).toBe('---\na: plain text\n---\n');
    expect(edit('---\na: "x"\n---\n', set('a', 'y'))).toBe('---\na: "y"\n---\n');
    expect(edit("---\na: 'x'\n---\n", set('a', "it's"))).toBe("---\na: 'it''s'\n---\n");
    expect(edit("---\na: 'x'\n---\n", set('b', '[[X]]'))).toBe("---\na: 'x'\nb: '[[X]]'\n---\n");
    expect(edit('---\nat: 2020-01-01T00:00:00.000Z\n---\n', set('at', '2024-05-06T07:08:09.000Z'))).toBe(
      '---\nat: 2024-05-06T07:08:09.000Z\n---\n',
    );
  });

  it('S06 refuses to edit a block that cannot be read, and names its line', () => {
    for (const [text, line] of [
      ['---\na: 1\na: 2\n---\nx', 3],
      ['---\nok: 1\n- @name\n---\nx', 3],
      ['---\ntitle: a: b\n---\nx', 2],
    ] as const) {
      const error = refusal(() => edit(text, set('rev', 1)));
      expect(error.code).toBe('INVALID_FRONTMATTER');
      expect(error.message).toContain(`line ${line}`);
      expect(edit(text, { op: 'body', text: 'y' })).toBe(`${text.slice(0, -1)}y`);
    }
  });

  it('S07 refuses to add properties above executable frontmatter', () => {
    for (const opener of ['---js', '---javascript', '---JS', '---coffee', '--- constructor']) {
      expect(refusal(() => edit(`${opener}\nthrow 1\n---\nx`, set('rev', 1))).code).toBe('INVALID_FRONTMATTER');
    }
  });

  it('keeps numbers as they are written, whatever they are read as', () => {
    const before =
      '---\nid: 12345678901234567890\noctal: 0o17\nold: 0123\nhex: 0xFF\nfloat: 1.10\nexp: 1e3\ntime: 12:30\nlist: [1.0, 99999999999999999999]\n---\n';
    expect(edit(before, set('rev', 1), { op: 'append', key: ['list'], value: 2 })).toBe(before.replace('9999]\n', '9999, 2]\nrev: 1\n'));
    for (const value of [2 ** 60, ['a', 2 ** 60]] as const) {
      expect(() => edit('---\na: 1\n---\n', set('id', value))).toThrow('1152921504606847000 has more digits than a number keeps');
    }
  });

  it('S08 keeps anchors, aliases and merge keys that the edit does not concern', () => {
    const before = '---\nbase: &b {x: 1}\nuse: *b\n<<: *b\nrev: 1\n---\n';
    expect(lineChanges(before, edit(before, set('rev', 2)))).toEqual({ removed: ['rev: 1\n'], added: ['rev: 2\n'] });
    expect(edit(before, set('use', 'own'))).toBe(before.replace('use: *b', 'use: own'));
    expect(refusal(() => edit(before, set('base', 1))).code).toBe('INVALID_FRONTMATTER');
    expect(refusal(() => edit(before, { op: 'set', key: ['base', 'x'], value: 2 })).code).toBe('INVALID_FRONTMATTER');
  });

  it('S08 keeps keys that are lists or maps as they are, on their own', () => {
    const state = set('state', 'open');
    expect(edit('---\n? [a, b]\n: c\n---\n', state)).toBe('---\n? [a, b]\n: c\nstate: open\n---\n');
    expect(edit('---\n{a: b}: m\n---\n', state)).toBe('---\n{a: b}: m\nstate: open\n---\n');
    expect(edit('---\n{? [p, q] : 1, y: 2}\n---\n', state)).toBe('---\n{? [p, q] : 1, y: 2, state: open}\n---\n');
    expect(edit('---\nm:\n  ? {a: 1}\n  : z\n---\n', { op: 'set', key: ['m', 'k'], value: 1 })).toBe(
      '---\nm:\n  ? {a: 1}\n  : z\n  k: 1\n---\n',
    );
  });

  it('S09 refuses bombs, too much and too deep', () => {
    const bomb = `a: &a [${'x,'.repeat(20)}]\n${'bcdefgh'
      .split('')
      .map((key, i) => `${key}: &${key} [${`*${'abcdefgh'[i]},`.repeat(20)}]\n`)
      .join('')}`;
    for (const yaml of [bomb, `a: ${'x'.repeat(1_000_000)}\n`, `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`]) {
      expect(refusal(() => edit(`---\n${yaml}---\nx`, set('rev', 1))).code).toBe('INVALID_FRONTMATTER');
    }
    expect(refusal(() => edit('---\na: 1\n---\nx', set('b', 'x'.repeat(70_000)))).code).toBe('INVALID_FRONTMATTER');
  });

  it('S10 does not take a block at the start of the body for frontmatter', () => {
    const before = '---\na: 1\n---\n---\nb: 2\n---\nx';
    expect(edit(before, set('a', 3))).toBe('---\na: 3\n---\n---\nb: 2\n---\nx');
    expect(edit('---\nopen', set('a', 3))).toBe('---\na: 3\n---\n---\nopen');
  });

  it('S10 keeps a block that the file ends with when a body comes after it', () => {
    for (const [text, eol] of [
      ['---\nrev: 3\n---', '\n'],
      ['\ufeff---\r\nrev: 3\r\n--- ', '\r\n'],
    ] as const) {
      expect(applyChanges('note.md', text, [{ op: 'body', text: 'Body' }]).text).toBe(`${text}${eol}Body`);
      expect(applyChanges('note.md', text, [{ op: 'body', text: '' }]).text).toBe(text);
    }
  });

  it('S11 leaves template values as they are', () => {
    const before = '---\ncreated: {{date}}\nup: <% tp %>\n---\n';
    expect(edit(before, set('rev', 1))).toBe('---\ncreated: {{date}}\nup: <% tp %>\nrev: 1\n---\n');
  });

  it('S13 edits JSON frontmatter as the flow map that it is', () => {
    expect(edit('---\n{"a": 1, "b": ["x"]}\n---\n', set('a', 'y'), { op: 'append', key: ['b'], value: 'z' }, set('c', { d: null }))).toBe(
      '---\n{"a": "y", "b": ["x", "z"], "c": {"d": null}}\n---\n',
    );
    expect(edit('---\n{\n  "a": 1,\n  "b": 2\n}\n---\n', set('rev', 1), { op: 'unset', key: ['a'] })).toBe(
      '---\n{\n  "b": 2,\n  "rev": 1\n}\n---\n',
    );
    expect(edit('---\n{}\n---\n', set('rev', 1))).toBe('---\n{rev: 1}\n---\n');
  });
});

describe('lists keep their form', () => {
  it('appends in block and in flow form', () => {
    expect(edit('---\ntags:\n- a # first\n---\n', { op: 'append', key: ['tags'], value: 'b' })).toBe('---\ntags:\n- a # first\n- b\n---\n');
    expect(edit('---\ntags: [a , b,]\n---\n', { op: 'append', key: ['tags'], value: 'c' })).toBe('---\ntags: [a , b, c,]\n---\n');
    expect(edit('---\ntags: []\n---\n', { op: 'append', key: ['tags'], value: 'c' })).toBe('---\ntags: [c]\n---\n');
    expect(edit('---\ntags:\n---\n', { op: 'append', key: ['tags'], value: 'c' })).toBe('---\ntags:\n  - c\n---\n');
    expect(edit('---\ntags: a\n---\n', { op: 'append', key: ['tags'], value: 'c' })).toBe('---\ntags:\n  - a\n  - c\n---\n');
    expect(edit('---\nother: [x]\n---\n', { op: 'append', key: ['tags'], value: 'c' })).toBe('---\nother: [x]\ntags: [c]\n---\n');
  });

  it('appends a link or tag that is there already only once', () => {
    const before = '---\ntags: [Work]\nup: ["[[A|shown]]"]\n---\n';
    expect(edit(before, { op: 'append', key: ['tags'], value: '#work', unique: true })).toBe(before);
    expect(edit(before, { op: 'append', key: ['up'], value: '[[A]]', unique: true })).toBe(before);
    expect(edit(before, { op: 'append', key: ['up'], value: '[[A]]' })).toContain('["[[A|shown]]", "[[A]]"]');
  });

  it('takes entries away, and the property with its last one', () => {
    expect(edit('---\na: [x, y, z]\n---\n', { op: 'take', key: ['a'], value: 'y' })).toBe('---\na: [x, z]\n---\n');
    expect(edit('---\na:\n  - x # c\n  - y\n---\n', { op: 'take', key: ['a'], value: 'x' })).toBe('---\na:\n  - y\n---\n');
    expect(edit('---\na:\n  - x\nb: 1\n---\n', { op: 'take', key: ['a'], value: 'x' })).toBe('---\nb: 1\n---\n');
  });

  it('changes one field of one map in a list without touching the others', () => {
    const before = '---\nevidence:\n  - type: test # t\n    ref: a\n  - type: commit\n    ref: b\n---\n';
    const after = edit(
      before,
      set('evidence', [
        { type: 'test', ref: 'a' },
        { type: 'commit', ref: 'c', agent: 'x' },
      ]),
    );
    expect(after).toBe('---\nevidence:\n  - type: test # t\n    ref: a\n  - type: commit\n    ref: c\n    agent: x\n---\n');
  });
});

describe('values become what is asked, whatever was there', () => {
  const cases: [string, string, PropertyValue][] = [
    ['---\na: # why\n  - 1\n  - 2\nb: 1\n---\n', '---\na: 5 # why\nb: 1\n---\n', 5],
    ['---\na: |\n  x\n  y\nb: 1\n---\n', '---\na: z\nb: 1\n---\n', 'z'],
    ['---\na: x # why\nb: 1\n---\n', '---\na: # why\n  - 1\nb: 1\n---\n', [1]],
    ['---\na:\n  x\nb: 1\n---\n', '---\na: z\nb: 1\n---\n', 'z'],
    ['---\na:\n\nb: 1\n---\n', '---\na: z\n\nb: 1\n---\n', 'z'],
    ['---\na: "x\n  y"\nb: 1\n---\n', '---\na: "z"\nb: 1\n---\n', 'z'],
    ['---\na: !!str 5\nb: 1\n---\n', '---\na: 6\nb: 1\n---\n', 6],
    ['---\n? a\n: x\nb: 1\n---\n', '---\n? a\n: z\nb: 1\n---\n', 'z'],
    ['---\na: {x: 1}\nb: 1\n---\n', '---\na: {x: 2, y: 3}\nb: 1\n---\n', { x: 2, y: 3 }],
    ['---\na: x\nb: 1\n---\n', '---\na: |-\n  l1\n  l2\nb: 1\n---\n', 'l1\nl2'],
    ['---\na: x\nb: 1\n---\n', '---\na: {}\nb: 1\n---\n', {}],
    ['---\na: {"x"}\nb: 1\n---\n', '---\na: {"x": 1}\nb: 1\n---\n', { x: 1 }],
  ];
  for (const [before, after, value] of cases) {
    it(`${JSON.stringify(before)} takes ${JSON.stringify(value)}`, () => expect(edit(before, set('a', value))).toBe(after));
  }

  it('removes a nested property, and the map that is empty then', () => {
    expect(edit('---\na:\n  b: 1\n  c: 2\n---\n', { op: 'unset', key: ['a', 'b'] })).toBe('---\na:\n  c: 2\n---\n');
    expect(edit('---\na:\n  b: 1\nc: 2\n---\n', { op: 'unset', key: ['a', 'b'] })).toBe('---\nc: 2\n---\n');
  });

  it('refuses keys that programs could mistake for their own, and ways through values that are no maps', () => {
    expect(refusal(() => edit('x', { op: 'set', key: ['__proto__'], value: 1 })).code).toBe('INVALID_PARAMS');
    expect(refusal(() => edit('---\na: 1\n---\n', { op: 'set', key: ['a', 'b'], value: 1 })).code).toBe('INVALID_FRONTMATTER');
    expect(edit('---\n__proto__: {x: 1}\na: 1\n---\n', set('a', 2))).toBe('---\n__proto__: {x: 1}\na: 2\n---\n');
  });

  it('touches only a note that another change of the list changed', () => {
    const touch: NoteChange = { op: 'touch', at: '2026-01-01T00:00:00.000Z' };
    expect(applyChanges('a.md', '---\na: 1\n---\n', [set('a', 1), touch])).toMatchObject({ text: '---\na: 1\n---\n', changed: false });
    expect(edit('---\nrev: 4\na: 1\n---\n', set('a', 2), touch)).toBe('---\nrev: 5\na: 2\nupdated_at: 2026-01-01T00:00:00.000Z\n---\n');
    expect(edit('---\n- @x: y: z\n---\nx', { op: 'body', text: 'y' }, touch)).toBe('---\n- @x: y: z\n---\ny');
  });
});
