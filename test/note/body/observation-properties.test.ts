import { expect, it } from 'vitest';
import {
  dropObservationInfo,
  infoOf,
  observationKey,
  readObservationInfo,
  setObservationInfo,
} from '../../../src/note/body/observation-properties.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';

const infoIn = (text: string) => readObservationInfo(readFrontmatter(text).data);

it('K-18 holds what is known of an observation, for exactly its text, and drops it with the observation', () => {
  const long = 'x'.repeat(100_000);
  const note = '---\ntype: entity\n---\n\n## Observations\n\n- likes tea\n';
  const changes = [setObservationInfo('likes tea', 'origin', 'web'), setObservationInfo(long, 'stale_after', '2027-01-31')];
  const { text } = applyChanges('a.md', note, changes);
  expect(infoOf(infoIn(text), 'likes tea')).toEqual({ origin: 'web' });
  expect(infoOf(infoIn(text), 'likes tea ')).toEqual({});
  expect(infoOf(infoIn(text), long)).toEqual({ stale_after: '2027-01-31' });
  const dropped = applyChanges('a.md', text, dropObservationInfo(infoIn(text), ['likes tea'])).text;
  expect(infoOf(infoIn(dropped), long)).toEqual({});
  expect(infoOf(infoIn(dropped), 'likes tea')).toEqual({ origin: 'web' });
  expect(applyChanges('a.md', dropped, dropObservationInfo(infoIn(dropped), [])).text).toBe(note);
  expect(applyChanges('a.md', dropped, [setObservationInfo('likes tea', 'origin', null)]).text).toBe(note);
});

it('K-18 nothing is known where the property is somebody’s own, and what does not look like a key stays', () => {
  expect(infoOf(infoIn('---\nobservation_info: see below\n---\n'), 'a')).toEqual({});
  expect(infoOf(infoIn(`---\nobservation_info: {${observationKey('a')}: yes}\n---\n`), 'a')).toEqual({});
  expect(dropObservationInfo(infoIn('---\nobservation_info: {mine: 1}\n---\n'), [])).toEqual([]);
  expect(dropObservationInfo(null, [])).toEqual([]);
});
