import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import type { NoteChange } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { yamlSplices } from '../../../src/note/frontmatter/yaml-splices.ts';
import { parseYamlText } from '../../../src/note/frontmatter/yaml-text.ts';
import type { PropertyValue } from '../../../src/note/note.ts';
import { applySplices } from '../../../src/note/text.ts';
import { runs, sample } from '../../support/effort.ts';
import { notesOf, vaultsInTurn } from '../../support/vaults.ts';
import { awkward, edit, lineChanges, plain, refusal, set } from './frontmatter-edits.ts';

const key = fc.constantFrom('a', 'b', 'tags', 'rev', 'x y', '10', 'title', 'née', 'no', 'k:v');
const scalar = fc.oneof(
  fc.constantFrom(...awkward.filter((text) => !text.includes('\0') && text !== '\ud800')),
  fc.string({ unit: 'binary' }).filter((text) => !/\p{Cs}/u.test(text)),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const value: fc.Arbitrary<PropertyValue> = fc.letrec<{ value: PropertyValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const change: fc.Arbitrary<NoteChange> = fc.oneof(
  fc.record({ op: fc.constant('set' as const), key: fc.tuple(key), value }),
  fc.record({ op: fc.constant('unset' as const), key: fc.tuple(key) }),
  fc.record({ op: fc.constant('append' as const), key: fc.tuple(key), value: scalar, unique: fc.boolean() }),
  fc.record({ op: fc.constant('take' as const), key: fc.tuple(key), value: scalar }),
);
/** One property as people write it; `%` stands for the key. */
const people = fc
  .constantFrom(
    '%: 1',
    '%:',
    '%:   "q"  # c',
    "%: 'it''s'",
    '%: [a, b ]',
    '%: [ ]',
    '%:\n- a\n-  b # c',
    '%:\n    - a\n    - - x\n      - y',
    '%: {x: 1, y: [2]}',
  )
  .map((text) => text)
  .chain((text) => fc.constantFrom(text, `${text}\n# after`, `${text}\n`))
  .chain((text) =>
    fc.constantFrom(
      text,
      text,
      text,
      '%: |\n  block\n  text',
      '%: >-\n  folded\n  text\n',
      '%:\n  x: 1\n  # in\n  y:\n    z: [1]',
      '%:\n  - type: t\n    ref: r # c\n  - type: u',
      '%: |+\n  keep\n\n',
      '%: "a\n  b"',
      '%: !!str 5',
      '%: &anchor v',
      '%: [\n  a,\n  b, # c\n  ]',
    ),
  );
const block = fc
  .tuple(
    fc.uniqueArray(key, { maxLength: 5 }),
    fc.array(people, { minLength: 5, maxLength: 5 }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.constantFrom('', '# head', '\n'),
  )
  .map(([keys, properties, eol, head]) => {
    const yaml = keys.map((name, index) => (properties[index] ?? '').replace('%', () => (name === 'k:v' ? '"k:v"' : name)));
    return ['---', ...(head === '' ? [] : [head]), ...yaml, '---', 'body  ', '', 'end'].join('\n').replaceAll('\n', eol);
  });

describe('whatever the style and the edit', () => {
  it('the values read back are the wanted ones and every other line keeps its bytes', () => {
    let refused = 0;
    let made = 0;
    fc.assert(
      fc.property(block, change, (before, step) => {
        fc.pre(readFrontmatter(before).isReadable);
        if (!('key' in step)) return;
        const touched = step.key[0] as string;
        let after: string;
        try {
          after = edit(before, step);
          made += 1;
        } catch (error) {
          if (!(error instanceof RouxError)) throw error;
          refused += 1;
          return;
        }
        const [was, is] = [readFrontmatter(before).data, readFrontmatter(after).data];
        const { [touched]: _was, ...others } = was;
        const own = step.op === 'set' ? step.value : step.op === 'unset' ? undefined : is[touched];
        expect(plain(is)).toEqual(plain(own === undefined ? others : { ...others, [touched]: own }));
        const { removed } = lineChanges(before, after);
        for (const line of removed) expect(ownLines(before, touched)).toContain(line.replace(/[\r\n]+$/, ''));
      }),
      { numRuns: runs(300) },
    );
    expect(refused).toBeLessThan(made / 20);
  });

  it('the same edit again changes nothing', () => {
    fc.assert(
      fc.property(block, key, value, (before, name, wanted) => {
        fc.pre(readFrontmatter(before).isReadable);
        let once: string;
        try {
          once = edit(before, set(name, wanted));
        } catch {
          return;
        }
        expect(applyChanges('a.md', once, [set(name, wanted)]).changed).toBe(false);
      }),
      { numRuns: runs(100) },
    );
  });
});

/** The lines of one top-level property: from its key to the next key in the first column. */
function ownLines(text: string, name: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  const start = lines.findIndex((line) => line.startsWith(`${name}:`) || line.startsWith(`"${name}":`));
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^[\p{L}\d"]/u.test(line) || line === '---');
  return lines.slice(start, start + 1 + end);
}

const piece = fc.constantFrom(
  'title: Some words',
  'rev: 3',
  'when: 2020-01-01',
  "q: 'single'",
  'd: "double"',
  'list: [a, b]',
  'block:\n  - x\n  - y',
  'low:\n- x',

  'map:\n  rev: 1\n  title: in',
  'empty:',
  'spaced:    wide  ',
  'flag: true',
  'née: été',
  '# rev: 9',
  '',
  '  ',
  'note: a # c',
  'text: |\n  title: in it\n  rev: 3\n',
  'kept: |+\n  rev: 3\n\n',
  'anchor: &a one\nalias: *a',
  'long: some words\n  rev: 3',
  '"rev": 3',
  'on: True',
  'none: ~',
  'one: 1.0',
  '{rev: 3, title: Some words}',
  'x y: 1',
);
const lineEdits = fc.array(
  fc.tuple(
    fc.constantFrom('title', 'rev', 'when', 'q', 'd', 'list', 'empty', 'spaced', 'flag', 'née', 'note', 'x y', 'new', '10', 'no'),
    scalar,
  ),
  { minLength: 1, maxLength: 3 },
);

it('S01 what is changed on the line of its key alone comes out as it does by way of the whole YAML', () => {
  fc.assert(
    fc.property(fc.uniqueArray(piece, { maxLength: 8 }), lineEdits, fc.constantFrom('\n', '\r\n'), (pieces, edits, eol) => {
      const source = pieces
        .map((each) => `${each}\n`)
        .join('')
        .replaceAll('\n', eol);
      const text = `---${eol}${source}---${eol}Body${eol}`;
      const before = readFrontmatter(text);
      if (!before.isReadable || Object.keys(before.data).length === 0) return;
      const wanted = { ...before.data, ...Object.fromEntries(edits) };
      const splices = yamlSplices(parseYamlText(source, eol), wanted) ?? [];
      const whole = `---${eol}${applySplices(source, splices)}---${eol}Body${eol}`;
      if (!isDeepStrictEqual(plain(readFrontmatter(whole).data), plain(wanted))) return;
      expect(edit(text, ...edits.map(([name, value]) => set(name, value)))).toBe(whole);
    }),
    { numRuns: runs(600) },
  );
});

describe.each(vaultsInTurn(3))('over every frontmatter of $name', (vault) => {
  const read = () => notesOf(vault).map((note) => ({ ...note, frontmatter: readFrontmatter(note.text) }));

  it.skipIf(!vault.isThere)('S01 setting rev adds one line, setting it again changes one line, removing it restores every byte', () => {
    let edited = 0;
    const notes = sample(read(), vault.isReal ? 9 : 1);
    for (const { text } of notes.filter((note) => note.frontmatter.isReadable && note.frontmatter.block !== null)) {
      const once = edit(text, set('rev', 1));
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      expect(lineChanges(text, once)).toEqual({ removed: [], added: [`rev: 1${eol}`] });
      expect(lineChanges(once, edit(once, set('rev', 2)))).toEqual({ removed: [`rev: 1${eol}`], added: [`rev: 2${eol}`] });
      expect(edit(once, { op: 'unset', key: ['rev'] })).toBe(text);
      edited += 1;
    }
    expect(edited).toBeGreaterThan(notes.length / 3);
  });

  it.skipIf(!vault.isThere)('S06 refuses the ones that cannot be read', () => {
    for (const { file, text } of read().filter((note) => !note.frontmatter.isReadable)) {
      expect([file, refusal(() => edit(text, set('rev', 1))).code]).toEqual([file, 'INVALID_FRONTMATTER']);
    }
  });
});
