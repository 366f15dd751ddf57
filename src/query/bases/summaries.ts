import { findExtreme, keyOf } from '../compare.ts';
import { mean, onlyNumbers, sum } from '../functions/lists.ts';
import type { Run } from '../run.ts';
import { DateValue, Duration, isEmpty } from '../values.ts';
import type { Value } from '../values.ts';

type Summary = (values: readonly Value[], run: Run) => Value;

const ofNumbers =
  (compute: (numbers: readonly number[]) => number): Summary =>
  (values) => {
    const numbers = onlyNumbers(values);
    return numbers.length === 0 ? null : compute(numbers);
  };

function datesOf(values: readonly Value[]): readonly DateValue[] {
  return values.filter((each) => each instanceof DateValue);
}

/** The built-in summaries, by name (Bases syntax, Default Summary Formulas). */
export const SUMMARIES: ReadonlyMap<string, Summary> = new Map<string, Summary>([
  ['Average', ofNumbers(mean)],
  ['Min', (values) => findExtreme(onlyNumbers(values), 1)],
  ['Max', (values) => findExtreme(onlyNumbers(values), -1)],
  ['Sum', ofNumbers(sum)],
  ['Range', range],
  ['Median', ofNumbers(median)],
  ['Stddev', ofNumbers(deviation)],
  ['Earliest', (values) => findExtreme(datesOf(values), 1)],
  ['Latest', (values) => findExtreme(datesOf(values), -1)],
  ['Checked', (values) => values.filter((each) => each === true).length],
  ['Unchecked', (values) => values.filter((each) => each === false).length],
  ['Empty', (values) => values.filter(isEmpty).length],
  ['Filled', (values) => values.filter((each) => !isEmpty(each)).length],
  ['Unique', (values, run) => new Set(values.filter((each) => !isEmpty(each)).map((each) => keyOf(run, each))).size],
]);

function range(values: readonly Value[]): Value {
  const dates = datesOf(values);
  const [least, most] = [findExtreme(dates, 1), findExtreme(dates, -1)];
  if (least instanceof DateValue && most instanceof DateValue) return new Duration(0, most.ms - least.ms);
  const numbers = onlyNumbers(values);
  return numbers.length === 0 ? null : Number(findExtreme(numbers, -1)) - Number(findExtreme(numbers, 1));
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

function deviation(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((each) => (each - middle) ** 2)));
}
