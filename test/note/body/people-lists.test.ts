import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeObservation } from '../../../src/note/body/observation.ts';
import { readBodySection } from '../../../src/note/body/section.ts';
import type { NoteChange } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { runs } from '../../support/effort.ts';
import { peopleNote } from './people-lists.ts';

const edit = (text: string, ...changes: NoteChange[]): string => applyChanges('a.md', text, changes).text;
const add = (line: string): NoteChange => ({ op: 'add-line', section: 'Observations', line });
const drop = (line: string): NoteChange => ({ op: 'drop-line', section: 'Observations', line });
const observations = (text: string): string[] =>
  readBodySection(text, 'Observations')?.entries.map(({ line }) => decodeObservation(line)) ?? [];

it('X-08 X-10 each observation of a person is one text, which takes its lines away and nothing else', () => {
  fc.assert(
    fc.property(peopleNote, fc.nat(), (note, at) => {
      expect(observations(note.text)).toEqual(note.observations);
      const index = at % note.observations.length;
      expect(edit(note.text, drop(note.observations[index]!))).toBe(note.without(index));
    }),
    { numRuns: runs(600) },
  );
});

it('X-08 an observation that is added and deleted again leaves every byte as it was', () => {
  const start = fc.oneof(
    peopleNote.map(({ text }) => text),
    fc.constantFrom('', 'text', 'text\n', 'text\n\n', 'text\n\n\n', 'a\r\nb', 'a\r\nb\r\n', '---\nid: x\n---\n', '---\nid: x\n---\n\n'),
    fc.constantFrom(
      '\ufeff',
      '## Relations\n\n- a [[b]]',
      '```\ncode\n```',
      '- item\n',
      'Title\n---\n',
      '## Observations\n\n- a\n\n## Next\n',
      '## Observations',
      '## Observations\n',
      '## Observations\n\n',
      'x\n\n## Observations\n\n## Next\n',
      '# observations\n\nprose\n',
    ),
  );
  fc.assert(
    fc.property(start, fc.subarray(['one', 'two', 'three'], { minLength: 1 }), (text, lines) => {
      const after = edit(text, ...lines.map(add));
      expect(observations(after)).toEqual([...observations(text), ...lines]);
      expect(edit(after, ...lines.map(drop))).toBe(text);
      expect(lines.toReversed().reduce((left, line) => edit(left, drop(line)), after)).toBe(text);
    }),
    { numRuns: runs(600) },
  );
});

it.each([
  ['text\n- a\n2. b\n', 'a', 'text\n\n2. b\n'],
  ['- # h\n- a\nprose\n', 'a\nprose', '- # h\n'],
  ['text\n- a\n---\n\n- b\n', 'a', 'text\n\n---\n\n- b\n'],
])('X-08 what stands around a deleted observation is read as before: %j', (body, line, left) => {
  const text = `## Observations\n\n${body}`;
  const rest = observations(text).filter((other) => other !== line);
  expect(edit(text, drop(line))).toBe(`## Observations\n\n${left}`);
  expect(observations(edit(text, drop(line)))).toEqual(rest);
});

it('X-08 X-10 what is added goes on with the bullets and numbers that are there, and never into what follows', () => {
  expect(edit('### OBSERVATIONS\n\n9. a\n', add('b'), add('c'))).toBe('### OBSERVATIONS\n\n9. a\n10. b\n11. c\n');
  expect(edit('# observations\n\n-\ta\n\n\tb\n\n## Relations\n', add('c'))).toBe('# observations\n\n-\ta\n\n\tb\n-\tc\n\n## Relations\n');
  expect(edit('## Observations\n- [ ] a\n', add('b'))).toBe('## Observations\n- [ ] a\n- b\n');
  expect(edit('## Observations\n\n- # a\nprose\n', add('b'))).toBe('## Observations\n\n- # a\n- b\n\nprose\n');
  expect(edit('Observations\n---\n\n- a\n', add('b'))).toBe('Observations\n---\n\n- a\n- b\n');
});

it('X-10 the first of two sections counts, and a heading of a person stays when it is emptied', () => {
  const text = '### Observations\n\n- a\n\n## Observations\n\n- b\n';
  expect(observations(text)).toEqual(['a']);
  expect(edit(text, add('c'))).toBe('### Observations\n\n- a\n- c\n\n## Observations\n\n- b\n');
  expect(edit(text, drop('a'))).toBe('### Observations\n\n\n## Observations\n\n- b\n');
});
