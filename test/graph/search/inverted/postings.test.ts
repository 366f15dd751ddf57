import { expect, it } from 'vitest';
import { Postings } from '../../../../src/graph/search/inverted/postings.ts';

/** Of four bytes each: a part of the memory. */
const PART = 1 << 18;

function numbersOf(postings: Postings, list: number): number[] {
  const numbers: number[] = [];
  postings.each(list, (value) => numbers.push(value));
  return numbers;
}

it('lists that grow by turns keep their numbers, and none lies in an array that grows with all of them', () => {
  const postings = new Postings();
  const lists = Array.from({ length: 40 }, () => postings.open());
  // Some end with a block.
  const counts = lists.map((_, at) => [0, 2, 6, 14][at] ?? 1 + at * 1_000);
  for (let value = 0; value < Math.max(...counts); value += 1)
    for (const [at, list] of lists.entries()) if (value < counts[at]!) postings.append(list, value);
  let largest = 0;
  for (const [at, list] of lists.entries()) {
    expect(numbersOf(postings, list)).toEqual(Array.from({ length: counts[at]! }, (_, value) => value));
    postings.eachPart(list, (numbers) => (largest = Math.max(largest, numbers.length)));
  }
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(2 * PART);
  expect(largest).toBeLessThanOrEqual(PART);
});

it('a list that is filled at once may be longer than a part, and goes on', () => {
  const postings = new Postings();
  const short = postings.openFilled(3, (numbers, { start }) => numbers.set([1, 2, 3], start));
  const long = postings.openFilled(2 * PART + 5, (numbers, { start, end }) => {
    for (let at = start; at < end; at += 1) numbers[at] = at - start;
  });
  const last = postings.openFilled(1, (numbers, { start }) => (numbers[start] = 7));
  for (let value = 0; value < 20; value += 1) for (const list of [short, long, last]) postings.append(list, 1e9 + value);
  const added = Array.from({ length: 20 }, (_, value) => 1e9 + value);
  expect(numbersOf(postings, short)).toEqual([1, 2, 3, ...added]);
  expect(numbersOf(postings, last)).toEqual([7, ...added]);
  expect(numbersOf(postings, long)).toEqual([...Array.from({ length: 2 * PART + 5 }, (_, value) => value), ...added]);
});
