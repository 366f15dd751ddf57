import type { Run } from '../run.ts';
import { isList } from '../values.ts';
import type { Value } from '../values.ts';

/** A function of a value: `self.name(...args)`. Arguments that were left out are null. */
export type Method<Self extends Value = Value> = (run: Run, self: Self, args: readonly Value[]) => Value;

/** A field of a value: `self.name`. */
export type Field<Self extends Value = Value> = (run: Run, self: Self) => Value;

/** A function by itself: `name(...args)`. */
export type GlobalFunction = (run: Run, args: readonly Value[]) => Value;

/** What values of one type can be asked. */
export interface Members<Self extends Value = never> {
  readonly fields: ReadonlyMap<string, Field<Self>>;
  readonly methods: ReadonlyMap<string, Method<Self>>;
}

/** The members of a type, from plain tables. */
export function defineMembers<Self extends Value>(members: {
  readonly fields?: Readonly<Record<string, Field<Self>>>;
  readonly methods: Readonly<Record<string, Method<Self>>>;
}): Members<Self> {
  return { fields: new Map(Object.entries(members.fields ?? {})), methods: new Map(Object.entries(members.methods)) };
}

/** Arguments with the elements of those that are lists in their place. */
export function oneByOne(run: Run, args: readonly Value[]): readonly Value[] {
  run.checkLength(args.reduce<number>((sum, each) => sum + (isList(each) ? each.length : 1), 0));
  return args.flatMap((each) => each);
}

/** A text that is about to be looked through, which is counted. */
export function lookedAt(run: Run, text: string): string {
  run.look(text.length);
  return text;
}

/** An argument as a whole number; null where it was left out or is none. */
export function wholeNumber(value: Value | undefined): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? Math.trunc(value) : null;
}
