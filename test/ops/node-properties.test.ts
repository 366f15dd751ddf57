import { expect, it } from 'vitest';
import { listProperties, propertyKey } from '../../src/ops/node-properties.ts';

it('a note’s own keys are its properties, and the `properties` map wins over them', () => {
  const data = { type: 'task', depends_on: ['[[b]]'], blocked: true, cssclasses: ['wide'], size: 1, properties: { size: 2 } };
  expect(listProperties(data)).toEqual({ blocked: true, cssclasses: ['wide'], size: 2 });
});

it('a property is changed where it stands; a new one goes to the map, and so does one that is called like a key of roux', () => {
  const data = { cssclasses: ['wide'], depends_on: [], properties: { size: 2 } };
  expect(['cssclasses', 'size', 'new', 'depends_on'].map((name) => propertyKey(data, name).join('.'))).toEqual([
    'cssclasses',
    'properties.size',
    'properties.new',
    'properties.depends_on',
  ]);
});
