import { areEqual, compareValues } from './compare.ts';
import { addDuration, durationMs, readDuration } from './dates.ts';
import type { BinaryOperator } from './expression.ts';
import type { Run } from './run.ts';
import { toText } from './texts.ts';
import { DateValue, Duration, isList } from './values.ts';
import type { Value } from './values.ts';

/** An operator that evaluates both sides; null if it is not defined for their types (E-22). */
export type Operate = (run: Run, left: Value, right: Value) => Value;

const compared =
  (isTrue: (order: number) => boolean): Operate =>
  (run, left, right) => {
    // The difference of two infinities is NaN.
    if (typeof left === 'number' && typeof right === 'number' && !Number.isNaN(left - right)) return isTrue(left - right);
    if (typeof left === 'string' && typeof right === 'string') run.chargeRead(Math.min(left.length, right.length));
    const order = compareValues(left, right);
    return order !== null && isTrue(order);
  };

const arithmetic =
  (compute: (left: number, right: number) => number): Operate =>
  (_run, left, right) =>
    typeof left === 'number' && typeof right === 'number' ? compute(left, right) : null;

const times = arithmetic((left, right) => left * right);
const by = arithmetic((left, right) => left / right);
const minus = arithmetic((left, right) => left - right);

/** Every operator except `&&` and `||`, which evaluate their right side only if needed. */
export const OPERATORS: Readonly<Record<Exclude<BinaryOperator, '&&' | '||'>, Operate>> = {
  '==': areEqual,
  '!=': (run, left, right) => !areEqual(run, left, right),
  '<': compared((order) => order < 0),
  '>': compared((order) => order > 0),
  '<=': compared((order) => order <= 0),
  '>=': compared((order) => order >= 0),
  '+': add,
  '-': subtract,
  '*': (run, left, right) => (left instanceof Duration && typeof right === 'number' ? scale(left, right) : times(run, left, right)),
  '/': (run, left, right) => {
    if (left instanceof Duration && typeof right === 'number') return scale(left, 1 / right);
    if (left instanceof Duration && right instanceof Duration) return durationMs(left) / durationMs(right);
    return by(run, left, right);
  },
  '%': arithmetic((left, right) => left % right),
};

function scale({ months, ms }: Duration, factor: number): Duration {
  return new Duration(months * factor, ms * factor);
}

/** Converts an operand beside a date or a duration to a duration; null if it is none. */
function toDuration(value: Value): Duration | null {
  if (value instanceof Duration) return value;
  if (typeof value === 'number') return new Duration(0, value);
  return typeof value === 'string' ? readDuration(value) : null;
}

function add(run: Run, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (left instanceof DateValue || left instanceof Duration) {
    const duration = toDuration(right);
    if (duration !== null) return left instanceof DateValue ? addDuration(left, duration, 1) : addDurations(left, duration, 1);
  }
  if (right instanceof DateValue && left instanceof Duration) return addDuration(right, left, 1);
  if (isList(left) && isList(right)) {
    run.checkLength(left.length + right.length);
    return [...left, ...right];
  }
  // A duration added to a missing date gives a missing date.
  if (left === null && typeof right === 'string' && readDuration(right) !== null) return null;
  return typeof left === 'string' || typeof right === 'string' ? run.text(toText(run, left) + toText(run, right)) : null;
}

function subtract(run: Run, left: Value, right: Value): Value {
  if (left instanceof DateValue && right instanceof DateValue) return new Duration(0, left.ms - right.ms);
  if (left instanceof DateValue || left instanceof Duration) {
    const duration = toDuration(right);
    if (duration === null) return null;
    return left instanceof DateValue ? addDuration(left, duration, -1) : addDurations(left, duration, -1);
  }
  return minus(run, left, right);
}

function addDurations(left: Duration, right: Duration, sign: 1 | -1): Duration {
  return new Duration(left.months + sign * right.months, left.ms + sign * right.ms);
}

/** Evaluates `-x` for a number or a duration; null for other types. */
export function negate(value: Value): Value {
  if (typeof value === 'number') return -value;
  return value instanceof Duration ? new Duration(-value.months, -value.ms) : null;
}
