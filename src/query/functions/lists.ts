import { areEqual, keyOf, orderValues } from '../compare.ts';
import type { Run } from '../run.ts';
import { toText } from '../texts.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';
import { defineMembers, wholeNumber } from './method.ts';

/** How deep `flat` goes: as deep as lists can be nested that anybody writes. */
const DEEPEST = 32;

/** Lists. `map`, `filter` and `reduce`, which take an expression, are known to the compiler. */
export const listMembers = defineMembers<readonly Value[]>({
  fields: { length: (_run, self) => self.length },
  methods: {
    contains: (run, self, [wanted = null]) => has(run, self, wanted),
    containsAll: (run, self, wanted) => wanted.every((each) => has(run, self, each)),
    containsAny: (run, self, wanted) =>
      wanted.some((each) => has(run, self, each) || (isList(each) && each.some((inner) => has(run, self, inner)))),
    isEmpty: (_run, self) => self.length === 0,
    flat(run, self) {
      const flat: readonly Value[] = (self as readonly unknown[]).flat(DEEPEST as 1) as readonly Value[];
      run.checkLength(flat.length);
      return flat;
    },
    join(run, self, [separator = null]) {
      const between = separator === null ? ',' : toText(run, separator);
      const texts: string[] = [];
      let length = 0;
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
    sum: (_run, self) => sumOf(self),
    mean(_run, self) {
      const { length } = numbersOf(self);
      return length === 0 ? null : sumOf(self) / length;
    },
  },
});

function has(run: Run, list: readonly Value[], wanted: Value): boolean {
  run.charge(1 + list.length);
  return list.some((each) => areEqual(run, each, wanted));
}

/** The numbers of a list; what is none is left out. */
export function numbersOf(list: readonly Value[]): readonly number[] {
  return list.filter((each) => typeof each === 'number' && !Number.isNaN(each)) as readonly number[];
}

function sumOf(list: readonly Value[]): number {
  return numbersOf(list).reduce((sum, each) => sum + each, 0);
}
