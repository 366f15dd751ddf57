import type { Compiled, Run } from '../run.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';

/** Maps the elements of a list, dropping those that become undefined. Null if the value is not a list. */
export function collect(run: Run, list: Value, make: (value: Value) => Value | undefined): Value {
  if (!isList(list)) return null;
  const { value, index } = run;
  const made: Value[] = [];
  for (const [at, each] of list.entries()) {
    run.charge(1);
    run.value = each;
    run.index = at;
    const result = make(each);
    if (result !== undefined) made.push(result);
  }
  run.value = value;
  run.index = index;
  return made;
}

/** Reduces the elements of a list. Null if the value is not a list. */
export function reduce(run: Run, list: Value, step: Compiled, initial: Value): Value {
  if (!isList(list)) return null;
  const { value, index, acc } = run;
  let result = initial;
  for (const [at, each] of list.entries()) {
    run.charge(1);
    run.value = each;
    run.index = at;
    run.acc = result;
    result = step(run);
  }
  run.value = value;
  run.index = index;
  run.acc = acc;
  return result;
}
