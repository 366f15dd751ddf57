import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { readBodySection } from '../../../src/note/body/section.ts';
import type { NoteChange } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { parseNote } from '../../../src/note/parse.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { runs } from '../../support/effort.ts';

const edit = (text: string, ...changes: NoteChange[]): string => applyChanges('a.md', text, changes).text;
const add = (line: string, section = 'Observations', unique = false): NoteChange => ({ op: 'add-line', section, line, unique });
const drop = (line: string, section = 'Observations'): NoteChange => ({ op: 'drop-line', section, line });
const lines = (text: string, section = 'Observations'): string[] | null =>
  readBodySection(text, section)?.entries.map((entry) => entry.line) ?? null;

describe('lines of body sections', () => {
  it('makes a section at the end of the body with one blank line before it', () => {
    expect(edit('text', add('a'), add('b'), add('r [[x]]', 'Relations'))).toBe(
      'text\n\n## Observations\n\n- a\n- b\n\n## Relations\n\n- r [[x]]',
    );
    expect(edit('text\n', add('a'))).toBe('text\n\n## Observations\n\n- a\n');
    expect(edit('text\n\n\n', add('a'))).toBe('text\n\n\n\n## Observations\n\n- a\n');
    expect(edit('', add('a'))).toBe('## Observations\n\n- a\n');
    expect(edit('---\nid: x\n---\n', add('a'))).toBe('---\nid: x\n---\n## Observations\n\n- a\n');
  });

  it('writes with the line ends and the bullets of the file', () => {
    expect(edit('x\r\n', add('a'))).toBe('x\r\n\r\n## Observations\r\n\r\n- a\r\n');
    expect(edit('x\r', add('a'))).toBe('x\r\r## Observations\r\r- a\r');
    expect(edit('## Observations\n* a\n* b', add('c'))).toBe('## Observations\n* a\n* b\n* c');
  });

  it('appends after the last item, before prose and the next heading', () => {
    expect(edit('## Observations\n\n- a\n  more\n\nprose\n\n## Next\n\n- z\n', add('b'))).toBe(
      '## Observations\n\n- a\n  more\n- b\n\nprose\n\n## Next\n\n- z\n',
    );
    expect(edit('## Observations\n\n## Next\n', add('b'))).toBe('## Observations\n- b\n\n## Next\n');
    expect(edit('## Observations\n', add('b'))).toBe('## Observations\n- b\n');
  });

  it('adds a unique line once', () => {
    const text = '## Observations\n\n- a\n';
    expect(edit(text, add('a', 'Observations', true))).toBe(text);
    expect(edit(text, add('a'))).toBe('## Observations\n\n- a\n- a\n');
  });

  it('does not take code, comments or other headings for the section', () => {
    const text =
      '```\n## Observations\n\n- no\n```\n\n<!--\n## Observations\n-->\n\n> ## Observations\n>\n> - no\n\n- item\n\n  ## Observations\n\n## Observations of birds\n\n- no\n';
    expect(lines(text)).toBeNull();
    expect(edit(text, add('a'))).toBe(`${text}\n## Observations\n\n- a\n`);
  });

  it('finds the section that the authoritative reader takes for a heading', () => {
    const piece = fc.constantFrom(
      '## Observations',
      '- a',
      '- b',
      'text',
      '',
      '```',
      '~~~',
      '<div>',
      '</div>',
      '<!--',
      '-->',
      '<pre>',
      '</pre>',
      '# T',
      '    code',
      '> quote',
      '<b>x</b>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (rows) => {
        const text = rows.join('\n');
        const heading = parseNote('a.md' as NotePath, text, { reader: 'authoritative' }).headings.find(
          ({ text: title }) => title.toLowerCase() === 'observations',
        );
        expect(readBodySection(text, 'Observations')?.heading.start).toBe(heading?.start);
      }),
      { numRuns: runs(250) },
    );
  });

  it('drops every equal item, and the section with its last one', () => {
    expect(edit('x\n\n## Observations\n\n- a\n- b\n- a\n', drop('a'))).toBe('x\n\n## Observations\n\n- b\n');
    expect(edit('x\n\n## Observations\n\n- a\n\n## Next\n', drop('a'))).toBe('x\n\n## Next\n');
    expect(edit('x\n\n## Observations\n\n- a\n', drop('a'))).toBe('x\n');
    expect(edit('## Observations\n\nprose\n- a\n', drop('a'))).toBe('## Observations\n\nprose\n');
    expect(applyChanges('a.md', 'x', [drop('a')])).toMatchObject({ text: 'x', changed: false });
  });

  it('replaces equal items by another line', () => {
    expect(
      edit('## Relations\n\n- a [[x]]  \n- b\n', { op: 'replace-line', section: 'Relations', line: 'a [[x]]', by: 'c [[y]] $&' }),
    ).toBe('## Relations\n\n- c [[y]] $&  \n- b\n');
  });

  it('refuses a line that would not read back as one item', () => {
    for (const line of ['a\nb', ' a', '', 'a\r']) expect(() => edit('## Observations\n\n- x\n', add(line))).toThrow(RouxError);
    expect(() => edit('```\nopen', add('a'))).toThrow(/unclosed code fence/);
  });

  it('adding and dropping lines gives the same lines as a list would', () => {
    const line = fc.constantFrom('a', 'b b', '`{"x":1}`', 'likes [[Tea]] ^f-1', '# no heading', '- nested?', 'ünï 😀', '1. x');
    const body = fc.constantFrom(
      '',
      'prose\n',
      '# T\n\ntext',
      'x\r\n\r\n## Other\r\n\r\n- o\r\n',
      '## Observations\n\n- a\n\n### Sub\n\n- s\n',
      '## Observations\n\n\n\n## Z\n',
    );
    const steps = fc.array(fc.tuple(fc.boolean(), line), { maxLength: 12 });
    fc.assert(
      fc.property(body, steps, (start, list) => {
        let text: string = start;
        let model = lines(start) ?? [];
        for (const [isAdded, what] of list) {
          text = edit(text, isAdded ? add(what) : drop(what));
          model = isAdded ? [...model, what] : model.filter((other) => other !== what);
          expect((lines(text) ?? []).toSorted()).toEqual(model.toSorted());
        }
        for (const kept of start.split(/\r?\n/).filter((row) => row.trim() !== '' && !row.startsWith('- ') && row !== '## Observations'))
          expect(text).toContain(kept);
      }),
      { numRuns: runs(150) },
    );
  });
});
