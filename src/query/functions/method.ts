import type { Run } from '../run.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';

/** A method: `self.name(...args)`. Omitted arguments are null. */
export type Method<Self extends Value = Value> = (run: Run, self: Self, args: readonly Value[]) => Value;

/** A field: `self.name`. */
export type Field<Self extends Value = Value> = (run: Run, self: Self) => Value;

/** A global function: `name(...args)`. */
export type GlobalFunction = (run: Run, args: readonly Value[]) => Value;

/** The members of a type. */
export interface Members<Self extends Value = never> {
  readonly fields: ReadonlyMap<string, Field<Self>>;
  readonly methods: ReadonlyMap<string, Method<Self>>;
}

/** Defines the members of a type from plain tables. */
export function defineMembers<Self extends Value>(members: {
  readonly fields?: Readonly<Record<string, Field<Self>>>;
  readonly methods: Readonly<Record<string, Method<Self>>>;
}): Members<Self> {
  return { fields: new Map(Object.entries(members.fields ?? {})), methods: new Map(Object.entries(members.methods)) };
}

/** Replaces arguments that are lists by their elements. */
export function flattenArguments(run: Run, args: readonly Value[]): readonly Value[] {
  run.checkLength(args.reduce<number>((sum, each) => sum + (isList(each) ? each.length : 1), 0));
  return args.flatMap((each) => each);
}

/** Counts reading a text, and returns it. */
export function chargedText(run: Run, text: string): string {
  run.chargeRead(text.length);
  return text;
}

/** Converts an argument to a whole number; null if it is missing or not a number. */
export function wholeNumber(value: Value | undefined): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? Math.trunc(value) : null;
}
