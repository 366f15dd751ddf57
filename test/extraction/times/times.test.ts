import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { readTimeField, readTimes, timesBehind } from '../../../src/extraction/times/clauses.ts';
import { runs } from '../../support/effort.ts';

/** Monday, in the middle of the day. */
const REFERENCE = '2026-01-05T10:00:00.000Z';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** `from..until`, days as such. */
async function read(text: string): Promise<string> {
  const { validAt, invalidAt } = await readTimes(text, REFERENCE);
  return `${validAt ?? ''}..${invalidAt ?? ''}`.replaceAll('T00:00:00.000Z', '');
}

const READ: readonly (readonly [string, string])[] = [
  ['works there since March 2024', '2024-03-01..'],
  ['Since 2020 she works at Acme', '2020-01-01..'],
  ['until last Friday.', '..2026-01-02'],
  ['from 2020 to 2022', '2020-01-01..2022-01-01'],
  ['from 2020 through 2022', '2020-01-01..2023-01-01'],
  ['between 2020 and 2022 at Acme', '2020-01-01..2022-01-01'],
  ['as of yesterday', '2026-01-04..'],
  ['from 1 May to 3 June 2021', '2021-05-01..2021-06-03'],
  ['from November to March 2022', '2021-11-01..2022-03-01'],
  ['from 2020–2022', '2020-01-01..2022-01-01'],
  ['since 2024-01-15, until 2024-05', '2024-01-15..2024-05-01'],
  ['since [[2024-01-15]]', '2024-01-15..'],
  ['since 2024-01-15T10:00:00+02:00', '2024-01-15T08:00:00.000Z..'],
  ['since 2024-01-15T10:00', '2024-01-15T10:00:00.000Z..'],
  ['since Q2 2024', '2024-04-01..'],
  ['since the end of 2023', '2024-01-01..'],
  ['until the end of March 2025', '..2025-04-01'],
  ['since Jan. 5, 2024 at 3pm', '2024-01-05T15:00:00.000Z..'],
  ['since May', '2025-05-01..'],
  ['since 3rd of May', '2025-05-03..'],
  ['since Tuesday', '2025-12-30..'],
  ['since 2 weeks ago', '2025-12-22..'],
  ['since last month', '2025-12-01..'],
  ['since last year', '2025-01-01..'],
  ['from now on', '2026-01-05T10:00:00.000Z..'],
  ['since 13/6/2024', '2024-06-13..'],
  ['since 1.2.2024', '2024-02-01..'],
  ['effective from 1 January 2025', '2025-01-01..'],
];

it.each(READ)('S3-30 times in words: %s', async (text, times) => {
  expect(await read(text)).toBe(times);
});

it('S3-30 what may be read in two ways, or is no date, gives none', async () => {
  for (const text of [
    '',
    'in 2021',
    'since 5/6/2024',
    'until 2024-13-01',
    'until March',
    'from Tuesday',
    'since Monday',
    'since last week',
    'since this week',

    'since last summer',
    'from 2000 to 3000 employees',
    'from 2000-3000 people',
    'from 10 to 20',
    'from Paris to London',
    'since he left',

    'not since 2020',
    "wasn't until 2020",
    'since 2020, until 2019',
    'since 2020 and since 2021',
    'since 31 February 2024',
    'since 2024-5-3',
    'since 2024.05.03',
    'since 2024-W05',
    'since 2024-366',
    'since 1200 BC',
    'since March 5, 1200 B.C.',
    'since 1 Jan 10000',
    'until 5pm',
    'until tomorrow 15:00 PST',
    'since 10:00 +02:00',
    'WORKS_since 2020',
    'sincere 2020',
    'between 2020 and Acme',
    'since 2020 since 2020 since 2020 since 2020 since 2020',
  ])
    expect(await read(text), text).toBe('..');
});

it('S3-30 a month is counted from every day of another as from its first', async () => {
  const monthOf = async (text: string, said: string): Promise<string | undefined> => (await readTimes(text, said)).validAt?.slice(0, 7);
  expect(await monthOf('since last month', '2026-03-31T10:00:00.000Z')).toBe('2026-02');
  expect(await monthOf('since next month', '2026-01-30T10:00:00.000Z')).toBe('2026-02');
  expect(await monthOf('since 13 months ago', '2026-03-29T22:30:00.000Z')).toBe('2025-02');
});

it('S3-30 times are the same in every time zone of the machine', async () => {
  const here = await Promise.all(READ.map(([text]) => read(text)));
  for (const other of ['America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kathmandu', 'UTC']) {
    process.env['TZ'] = other;
    expect(await Promise.all(READ.map(([text]) => read(text))), other).toEqual(here);
  }
});

it('a day is read as that day in UTC, whatever the reference time and the zone', async () => {
  const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(day, day, fc.constantFrom('UTC', 'America/Los_Angeles', 'Pacific/Auckland'), async (date, now, tz) => {
      process.env['TZ'] = tz;
      const iso = date.toISOString().slice(0, 10);
      const name = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(date);
      const midnight = `${iso}T00:00:00.000Z`;
      for (const form of [iso, `${date.getUTCDate()} ${name} ${iso.slice(0, 4)}`, `${name} ${date.getUTCDate()}, ${iso.slice(0, 4)}`]) {
        expect((await readTimes(`since ${form}`, now.toISOString())).validAt, form).toBe(midnight);
        expect(await readTimeField(form, now.toISOString())).toBe(midnight);
      }
      const [yesterday, weekday] = await Promise.all(
        ['as of yesterday', 'until last Friday'].map((text) => readTimes(text, now.toISOString())),
      );
      expect(yesterday?.validAt).toBe(new Date(Date.parse(now.toISOString().slice(0, 10)) - 86_400_000).toISOString());
      expect(new Date(weekday?.invalidAt ?? '').getUTCDay()).toBe(5);
      expect(Date.parse(weekday?.invalidAt ?? '')).toBeLessThanOrEqual(now.getTime());
    }),
    { numRuns: runs(100) },
  );
});

it('words about time at the end of a text are found, and nothing else', () => {
  const at = (text: string): string => (timesBehind(text) < 0 ? '' : text.slice(timesBehind(text)));
  expect(at('Acme since March 2024')).toBe('since March 2024');
  expect(at('Acme (from 2020 to 2022)')).toBe('(from 2020 to 2022)');
  expect(at('Acme since 2020, until 2024')).toBe('since 2020, until 2024');
  expect(at('People since 2020 at Acme')).toBe('');
  expect(at('Letters from Paris')).toBe('');
  expect(at('Chapters from 10 to 20')).toBe('');
});
