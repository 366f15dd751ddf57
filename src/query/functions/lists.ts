import { areEqual, keyOf, orderValues } from '../compare.ts';
import type { Run } from '../run.ts';
import { toText } from '../texts.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';
import { defineMembers, wholeNumber } from './method.ts';

/** The nesting depth that `flat` flattens. */
const MAX_DEPTH = 32;

/** The members of lists. The compiler handles `map`, `filter` and `reduce`, which take an expression. */
export const listMembers = defineMembers<readonly Value[]>({
  fields: { length: (_run, self) => self.length },
  methods: {
    contains: (run, self, [wanted = null]) => has(run, self, wanted),
    containsAll: (run, self, wanted) => wanted.every((each) => has(run, self, each)),
    containsAny: (run, self, wanted) =>
      wanted.some((each) => has(run, self, each) || (isList(each) && each.some((inner) => has(run, self, inner)))),
    isEmpty: (_run, self) => self.length === 0,
    flat(run, self) {
      const flat: Value[] = [];
      flatten(run, self, flat);
      return flat;
    },
    join(run, self, [separator = null]) {
      const between = separator === null ? ',' : toText(run, separator);
      const texts: string[] = [];
      let length = 0;
      run.charge(self.length);
      for (const each of self) {
        const text = toText(run, each);
        length += text.length + between.length;
        run.limitLength(length);
        texts.push(text);
      }
      return run.text(texts.join(between));
    },
    reverse(run, self) {
      run.charge(self.length);
      return self.toReversed();
    },
    slice(run, self, [start = null, end = null]) {
      run.charge(self.length);
      return self.slice(wholeNumber(start) ?? 0, wholeNumber(end) ?? undefined);
    },
    sort(run, self) {
      run.charge(self.length * 8);
      return self.toSorted((a, b) => orderValues(run, a, b));
    },
    unique(run, self) {
      run.charge(self.length);
      const seen = new Set<string>();
      return self.filter((each) => {
        const key = keyOf(run, each);
        return seen.has(key) ? false : seen.add(key);
      });
    },
    sum(run, self) {
      run.charge(self.length);
      return sum(onlyNumbers(self));
    },
    mean(run, self) {
      run.charge(self.length);
      const numbers = onlyNumbers(self);
      return numbers.length === 0 ? null : mean(numbers);
    },
  },
});

/** Appends the elements of a list and of the lists in it. */
function flatten(run: Run, list: readonly Value[], flat: Value[], depth = 0): void {
  run.charge(1 + list.length);
  for (const each of list) {
    if (isList(each) && depth < MAX_DEPTH) flatten(run, each, flat, depth + 1);
    else flat.push(each);
  }
  run.limitLength(flat.length);
}

function has(run: Run, list: readonly Value[], wanted: Value): boolean {
  run.charge(1 + list.length);
  return list.some((each) => areEqual(run, each, wanted));
}

export function onlyNumbers(list: readonly Value[]): readonly number[] {
  return list.filter((each) => typeof each === 'number' && !Number.isNaN(each)) as readonly number[];
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** Returns the mean of at least one number. */
export function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}
