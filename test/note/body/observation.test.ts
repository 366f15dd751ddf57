import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeObservation, encodeObservation } from '../../../src/note/body/observation.ts';
import { readBodySection } from '../../../src/note/body/section.ts';
import { anyText } from './any-text.ts';
import { runs } from '../../support/effort.ts';

it('S4 an observation reads back as it was given, between others', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const item = encodeObservation(text);
      expect(decodeObservation(item)).toBe(text);
      const entries = readBodySection(`## Observations\n\n- before\n- ${item}\n- after\n\n## Relations\n`, 'Observations')?.entries;
      expect(entries?.map(({ line }) => line)).toEqual(['before', item, 'after']);
    }),
    { numRuns: runs(500) },
  );
});

it('plain observations stay plain, and JSON objects are code', () => {
  expect(encodeObservation('prefers oat milk')).toBe('prefers oat milk');
  expect(encodeObservation('likes [[Tea]] and `code` here')).toBe('likes [[Tea]] and `code` here');
  expect(encodeObservation('{"type":"x"}')).toBe('`{"type":"x"}`');
  expect(encodeObservation('two\nlines')).toBe('`"two\\nlines"`');
  expect(encodeObservation('# not a heading')).toBe('`# not a heading`');
});
