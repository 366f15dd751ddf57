import { expect, it } from 'vitest';
import type { Properties } from '../../src/note/note.ts';
import { listProperties, resolvePropertyKey, showFrontmatter } from '../../src/ops/node-properties.ts';

it('a note’s own keys are its properties, and the `properties` map wins over them', () => {
  const data = { type: 'task', depends_on: ['[[b]]'], blocked: true, cssclasses: ['wide'], size: 1, properties: { size: 2 } };
  expect(listProperties(data, true)).toEqual({ blocked: true, cssclasses: ['wide'], size: 2 });
  expect(showFrontmatter(data, true)).toMatchObject({ shadowed: { size: 1 }, task: { depends_on: ['[[b]]'] } });
  // Below another folder it is no task, and all of it people's own.
  expect(listProperties(data, false)).toEqual({ depends_on: ['[[b]]'], blocked: true, cssclasses: ['wide'], size: 2 });
});

it('a property is changed where it stands; a new one goes to the top level of a note that people write, else to the map', () => {
  const names = ['cssclasses', 'size', 'new', 'depends_on'];
  const places = (data: Properties, isToolNode: boolean): readonly string[] =>
    names.map((name) => resolvePropertyKey(data, name, { isToolNode, isTask: false }).join('.'));
  const people = { cssclasses: ['wide'], size: 2 };
  expect(places(people, false)).toEqual(['cssclasses', 'size', 'new', 'depends_on']);
  expect(places(people, true)).toEqual(['cssclasses', 'size', 'properties.new', 'properties.depends_on']);
  const withMap = { cssclasses: ['wide'], depends_on: [], properties: { size: 2 } };
  for (const isToolNode of [false, true])
    expect(places(withMap, isToolNode)).toEqual(['cssclasses', 'properties.size', 'properties.new', 'depends_on']);
});

it('A-01 a key is left out of the properties only where a field of the answer says the same', () => {
  const said: Properties = {
    id: 'x',
    title: 1984,
    type: 'book',
    tags: 'a, b',
    aliases: ['One', 2],
    rev: 3,
    created_by: 'me',
    format: 'epub',
    encoding: 'utf-8',
    created_at: '2026-01-02T03:04:05.000Z',
    updated: '2026-01-02T03:04:05.000Z',
    properties: {},
  };
  expect(listProperties(said, false)).toEqual({});
  const otherwise: Properties = {
    id: ['x'],
    title: { de: 'Eins' },
    type: ['[[Parks]]'],
    tags: { a: 1 },
    aliases: ['One', null],
    rev: 'draft',
    created_by: ['me'],
    format: 4,
    encoding: null,
    created_at: '2026-01-02',
    updated: 'yesterday',
    properties: 'none',
    parent: '[[Up]]',
    state: null,
    resolved: 'maybe',
  };
  expect(listProperties(otherwise, false)).toEqual(otherwise);
  for (const type of ['[[Parks]]', ' [[Parks|P]] ', 5, null, '']) expect(listProperties({ type }, false)).toEqual({ type });
});
