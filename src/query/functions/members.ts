import type { Run } from '../run.ts';
import { toText } from '../texts.ts';
import { isEmpty, isTruthy, MapValue, typeOf } from '../values.ts';
import type { TypeName, Value } from '../values.ts';
import { dateMembers } from './dates.ts';
import { fileMembers, linkMembers, mapMembers, patternMembers } from './files.ts';
import { listMembers } from './lists.ts';
import { defineMembers, chargedText } from './method.ts';
import type { Members } from './method.ts';
import { durationMembers, numberMembers } from './numbers.ts';
import { stringMembers } from './strings.ts';

/** The members of every value, including null. */
const anyMembers: Members<Value> = defineMembers<Value>({
  methods: {
    isTruthy: (_run, self) => isTruthy(self),
    isType: (run, self, [type = null]) => typeOf(self) === chargedText(run, toText(run, type)).toLowerCase(),
    toString: (run: Run, self: Value) => toText(run, self),
    isEmpty: (_run, self) => isEmpty(self),
  },
});

const none: Members = { fields: new Map(), methods: new Map() };

const MEMBERS: Readonly<Record<TypeName, Members>> = {
  null: none,
  boolean: none,
  number: numberMembers,
  string: stringMembers,
  date: dateMembers,
  duration: durationMembers,
  link: linkMembers,
  file: fileMembers,
  regexp: patternMembers,
  object: mapMembers,
  list: listMembers,
};

/** Types that have the functions of texts in addition to their own, since notes write them as text. */
const TEXTUAL: ReadonlySet<TypeName> = new Set<TypeName>(['date', 'link', 'file']);

/** Functions of lists that take an expression, which the compiler handles. */
export const LIST_EXPRESSIONS: ReadonlySet<string> = new Set(['filter', 'map', 'reduce']);

export const methodNames: ReadonlySet<string> = new Set([
  ...LIST_EXPRESSIONS,
  ...anyMembers.methods.keys(),
  ...Object.values(MEMBERS).flatMap(({ methods }) => [...methods.keys()]),
]);

/** The names of the fields of files. */
export const fileFields: ReadonlySet<string> = new Set(fileMembers.fields.keys());

/** Evaluates `self.name(...args)`; null if the type has no such method (E-22). */
export function callMethod(run: Run, self: Value, name: string, args: readonly Value[]): Value {
  run.charge(1);
  const type = typeOf(self);
  const method = MEMBERS[type].methods.get(name) as ((run: Run, self: Value, args: readonly Value[]) => Value) | undefined;
  if (method !== undefined) return method(run, self, args);
  const any = anyMembers.methods.get(name);
  if (any !== undefined) return any(run, self, args);
  return TEXTUAL.has(type) ? (stringMembers.methods.get(name)?.(run, toText(run, self), args) ?? null) : null;
}

/** Evaluates `self.name`; null if there is no such field. */
export function readField(run: Run, self: Value, name: string): Value {
  if (self instanceof MapValue) return self.entries.get(name) ?? null;
  const field = MEMBERS[typeOf(self)].fields.get(name) as ((run: Run, self: Value) => Value) | undefined;
  return field === undefined ? null : field(run, self);
}
