import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentHash, episodeHash, isBlankText, normalizeName, oneLine } from '../../src/extraction/names.ts';
import { runs } from '../support/effort.ts';

it('S3-07 names are compared in NFKC, lower case and with white space as one space', () => {
  expect(normalizeName('  Alice \u00a0\u3000 LIDDELL\n')).toBe('alice liddell');
  expect(normalizeName('ＡＣＭＥ ﬁrm Ⅷ')).toBe('acme firm viii');
  expect(normalizeName('Zoe\u0308')).toBe(normalizeName('zo\u00eb'));
  expect(normalizeName('株式会社　東京')).toBe('株式会社 東京');
  expect(normalizeName('ſtraße')).not.toBe('');
});

it('S3-07 a name that is normalised stays as it is, and says the same whatever its form, case or space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const normal = normalizeName(name);
      expect(normalizeName(normal)).toBe(normal);
      expect(normalizeName(`\t${name.normalize('NFD')} `)).toBe(normalizeName(name.normalize('NFD')));
      expect(oneLine(oneLine(name))).toBe(oneLine(name));
      expect(/[\r\n\t]/.test(normal)).toBe(false);
    }),
    { numRuns: runs(2000) },
  );
});

it('S3-07 every letter is normalised once and for all', () => {
  const unstable: string[] = [];
  for (let code = 0; code < 0x30000; code += 1) {
    const normal = normalizeName(`a${String.fromCodePoint(code)}b`);
    if (normalizeName(normal) !== normal) unstable.push(code.toString(16));
  }
  expect(unstable).toEqual([]);
});

it('S3-26 an episode is the same for its source, time and normalised body', () => {
  const episode = { body: 'Alice works  at Acme.', source: 'text', referenceTime: '2026-01-05T10:00:00.000Z' } as const;
  expect(episodeHash({ ...episode, body: ' alice works at ACME.\r\n' })).toBe(episodeHash(episode));
  expect(episodeHash({ ...episode, source: 'message' })).not.toBe(episodeHash(episode));
  expect(contentHash('a', 'b')).not.toBe(contentHash('ab'));
  expect(contentHash('a')).toMatch(/^[0-9a-f]{64}$/);
  expect(isBlankText('\u200b \u0001')).toBe(true);
  expect(isBlankText('。')).toBe(false);
});
