import { expect, it } from 'vitest';
import type { Properties } from '../../src/note/note.ts';
import { listProperties, propertyKey } from '../../src/ops/node-properties.ts';

it('a note’s own keys are its properties, and the `properties` map wins over them', () => {
  const data = { type: 'task', depends_on: ['[[b]]'], blocked: true, cssclasses: ['wide'], size: 1, properties: { size: 2 } };
  expect(listProperties(data)).toEqual({ blocked: true, cssclasses: ['wide'], size: 2 });
});

it('a property is changed where it stands; a new one goes to the top level of a note that people write, else to the map', () => {
  const names = ['cssclasses', 'size', 'new', 'depends_on'];
  const places = (data: Properties, ofTools: boolean): readonly string[] =>
    names.map((name) => propertyKey(data, name, { ofTools }).join('.'));
  const people = { cssclasses: ['wide'], size: 2 };
  expect(places(people, false)).toEqual(['cssclasses', 'size', 'new', 'depends_on']);
  expect(places(people, true)).toEqual(['cssclasses', 'size', 'properties.new', 'properties.depends_on']);
  const withMap = { cssclasses: ['wide'], depends_on: [], properties: { size: 2 } };
  for (const ofTools of [false, true])
    expect(places(withMap, ofTools)).toEqual(['cssclasses', 'properties.size', 'properties.new', 'properties.depends_on']);
});
