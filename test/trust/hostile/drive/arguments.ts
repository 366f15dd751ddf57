import type { Random } from '../../../support/random.ts';
import type { Words } from './words.ts';

/** As much of JSON Schema as tools use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
}

/** What values are made with. */
export interface Making {
  readonly random: Random;
  readonly words: Words;
  /** Nobody would send these. */
  readonly isHostile: boolean;
}

/** Arguments that a schema allows mostly, whatever tool it is of. */
export function makeArguments(schema: Schema, making: Making): Record<string, unknown> {
  const made = makeRecord(schema, making);
  const { random, words, isHostile } = making;
  if (isHostile && random.chance(0.1)) made[words.text('name', true)] = words.text('name', true);
  return made;
}

function makeRecord({ properties = {}, required = [] }: Schema, making: Making): Record<string, unknown> {
  const { random, isHostile } = making;
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const isNeeded = required.includes(name);
    if (isNeeded ? isHostile && random.chance(0.05) : random.chance(0.6)) continue;
    made[name] = makeValue(name, schema, making);
  }
  return made;
}

function makeValue(name: string, schema: Schema, making: Making): unknown {
  const { random, words, isHostile } = making;
  if (isHostile && random.chance(0.08))
    return random.pick<unknown>([null, 3, true, '', [], {}, [[]], { length: 1e9 }, 1e308, words.text(name, true)]);
  if (schema.anyOf !== undefined) return makeValue(name, random.pick(schema.anyOf), making);
  if (schema.enum !== undefined) return isHostile && random.chance(0.2) ? words.text(name, true) : random.pick(schema.enum);
  switch (typeof schema.type === 'string' ? schema.type : (schema.type?.[0] ?? 'any')) {
    case 'string':
      return words.text(name, isHostile && random.chance(0.7));
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number':
      return makeNumber(schema, making);
    case 'array':
      return Array.from({ length: random.pick(isHostile ? [0, 1, 2, 300] : [1, 1, 2]) }, () => makeValue(name, schema.items ?? {}, making));
    case 'object':
      return schema.properties === undefined ? makeProperties(making) : makeRecord(schema, making);
    default:
      return makeProperties(making);
  }
}

function makeNumber({ minimum = 0, maximum = 50 }: Schema, { random, isHostile }: Making): number {
  if (!isHostile || random.chance(0.5)) return minimum + random.below(Math.min(maximum - minimum, 20) + 1);
  return random.pick([-1, 0, 1e9, 2 ** 53, 1.5, -1e308, maximum + 1]);
}

/** Properties of a note: plain ones, and ones that mean something to roux or to JavaScript. */
function makeProperties({ random, words, isHostile }: Making): Record<string, unknown> {
  const names = isHostile
    ? ['__proto__', 'constructor', 'id', 'rev', 'type', 'parent', 'depends_on', 'a b', '', '---', 'x: y']
    : ['mood', 'status', 'n'];
  const values = (): unknown =>
    random.pick<unknown>(
      isHostile
        ? [
            words.text('value', true),
            1e308,
            null,
            [words.text('value', true)],
            { deep: [[{}]] },
            nested(random.pick([30, 3_000])),
            '[[../outside/private]]',
          ]
        : ['open', 3, true, ['a', 'b']],
    );
  return Object.fromEntries(Array.from({ length: 1 + random.below(3) }, () => [random.pick(names), values()]));
}

function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let left = depth; left > 0; left--) value = left % 2 === 0 ? [value] : { a: value };
  return value;
}
