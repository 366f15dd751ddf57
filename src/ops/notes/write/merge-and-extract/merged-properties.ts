import type { NoteEntry } from '../../../../graph/view.ts';
import type { NoteChange } from '../../../../note/change.ts';
import { isPropertyList, sameValue } from '../../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../../note/note.ts';
import { baseName, foldKey } from '../../../../note/path.ts';
import { CREATED_KEYS, UPDATED_KEYS } from '../../../../note/frontmatter/reserved-keys.ts';
import { listProperties } from '../../../node-properties.ts';
import { shorten } from '../../../shorten.ts';
import { MANAGED_KEYS } from '../given-properties.ts';
import { tagsOf } from '../shapes.ts';
import type { MergeSource } from './merge-source.ts';
import type { GivenValue } from '../shapes.ts';

/** Properties that say something of a note as a whole, which does not hold for the other one. */
const OF_ONE_NOTE: ReadonlySet<string> = new Set(['title', 'verified', 'stale_after', 'origin', ...CREATED_KEYS, ...UPDATED_KEYS]);

const MAX_VALUE_CHARACTERS = 100;

type Scalar = string | number | boolean;

/** What a target takes over from the frontmatter of the notes that are merged into it. */
export interface MergedProperties {
  /** Items that its lists get, by property. */
  readonly add: Readonly<Record<string, readonly Scalar[]>>;
  readonly properties: Readonly<Record<string, GivenValue>>;
  /** If the target has none. */
  readonly type: string | undefined;
  /** Values of other shapes, such as maps. */
  readonly changes: readonly NoteChange[];
  /** What was left behind. */
  readonly warnings: readonly string[];
}

/** Joins lists, and takes values that the target lacks; where both have one, the target's stays and a warning names the other. */
export function mergeProperties(target: NoteEntry, sources: readonly MergeSource[]): MergedProperties {
  const add = new Map<string, Scalar[]>();
  const taken = new Map<string, GivenValue>();
  const changes: NoteChange[] = [];
  const warnings: string[] = [];
  const own = listProperties(target.properties, false);
  const addTo = (name: string, items: readonly Scalar[]): void => void add.set(name, [...(add.get(name) ?? []), ...items]);
  let { type } = target;
  for (const { entry: source, properties } of sources) {
    addTo('tags', tagsOf(properties['tags']));
    addTo('aliases', namesOf(source, target));
    if (type === null) type = source.type;
    else if (source.type !== null && source.type !== type) warnings.push(leftBehind(source, 'type', source.type, target));
    for (const [name, value] of Object.entries(listProperties(properties, false))) {
      if (OF_ONE_NOTE.has(name) || value === null) continue;
      if (MANAGED_KEYS.has(name)) {
        warnings.push(leftBehind(source, name, value, target));
        continue;
      }
      const now = own[name] ?? taken.get(name) ?? add.get(name) ?? complexOf(changes, name);
      if (isEmpty(now)) {
        if (isScalarList(value)) addTo(name, value);
        else if (isScalar(value)) taken.set(name, value);
        else changes.push({ op: 'set', key: [name], value });
      } else if (isScalarList(now) && !taken.has(name) && (isScalar(value) || isScalarList(value)))
        addTo(name, isScalar(value) ? [value] : value);
      else if (!sameValue(now as PropertyValue, value)) warnings.push(leftBehind(source, name, value, target));
    }
  }
  const filled = [...add].filter(([, items]) => items.length > 0);
  const ofType = type === target.type || type === null ? undefined : type;
  return { add: Object.fromEntries(filled), properties: Object.fromEntries(taken), type: ofType, changes, warnings };
}

/** Returns the names by which links and people called a source, so that the target is found by them. */
function namesOf(source: NoteEntry, target: NoteEntry): readonly string[] {
  const { id } = source.properties;
  const names = [source.title, baseName(source.path), ...source.aliases, ...(typeof id === 'string' ? [id] : [])];
  const known = new Set([target.title, baseName(target.path), ...target.aliases].map(foldKey));
  return names.filter((name, index) => !known.has(foldKey(name)) && names.findIndex((other) => foldKey(other) === foldKey(name)) === index);
}

function complexOf(changes: readonly NoteChange[], name: string): PropertyValue | undefined {
  const set = changes.find((change) => change.op === 'set' && change.key[0] === name);
  return set?.op === 'set' ? set.value : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isScalarList(value: unknown): value is readonly Scalar[] {
  return isPropertyList(value as PropertyValue) && (value as readonly unknown[]).every(isScalar);
}

function leftBehind(source: NoteEntry, name: string, value: PropertyValue, target: NoteEntry): string {
  return `${name} of ${source.path} was ${shorten(JSON.stringify(value), MAX_VALUE_CHARACTERS)}; ${target.path} keeps its own.`;
}
