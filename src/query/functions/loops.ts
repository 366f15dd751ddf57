import type { Compiled, Run } from '../run.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';

/** What a list function makes of each element, undefined for nothing; null where there is no list. */
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

/** What a step makes of the elements of a list one after the other; null where there is no list. */
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
