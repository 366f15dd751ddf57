import { noProperties, parseYamlValues } from '../note/frontmatter/yaml-values.ts';
import type { Properties, PropertyValue } from '../note/note.ts';
import type { Entry, PropertySource } from './entry.ts';
import { IdMultimap } from './multimap.ts';

export type Scalar = string | number | boolean | null;

/** How many notes keep their values read. */
const KEPT_NOTES = 512;
/** How many properties keep an index. */
const KEPT_INDEXES = 64;
/** How many properties keep their values at hand. */
const KEPT_COLUMNS = 24;

/** Reads the values of notes from their YAML and keeps those that were used last. */
export class PropertyReader implements PropertySource {
  readonly #kept = new Map<Entry, Properties>();

  read(entry: Entry): Properties {
    if (entry.yaml === '') return noProperties;
    const kept = this.#kept.get(entry);
    const properties = kept ?? parseYamlValues(entry.yaml);
    if (kept !== undefined) this.#kept.delete(entry);
    this.#kept.set(entry, properties);
    if (this.#kept.size > KEPT_NOTES) for (const oldest of this.#kept.keys()) return this.#forget(oldest, properties);
    return properties;
  }

  #forget(oldest: Entry, properties: Properties): Properties {
    this.#kept.delete(oldest);
    return properties;
  }
}

/** Stands for a property that a note does not have. */
const NO_VALUE = Symbol('no value');
/** The values of one property by the number of the note, undefined where it was not asked for yet. */
type Column = (PropertyValue | typeof NO_VALUE | undefined)[];

/** Notes by the values of their properties: one index a property, built when it is first asked for, then kept up to date. */
export class PropertyIndexes {
  readonly #indexes = new Map<string, IdMultimap>();
  readonly #columns = new Map<string, Column>();

  /**
   * What one note says under a key, in its `properties` map or beside that; undefined when it says nothing. Values that are asked for
   * are kept by property, so that a query over all notes reads no YAML a second time.
   */
  valueOf(id: number, entry: Entry, key: string): PropertyValue | undefined {
    // A note that is gone has no number.
    if (id < 0) return ownValue(entry.properties, key);
    const column = this.#columns.get(key) ?? this.#openColumn(key);
    const kept = column[id];
    if (kept !== undefined) return kept === NO_VALUE ? undefined : kept;
    const value = mayHave(entry.yaml, key) ? ownValue(entry.properties, key) : undefined;
    column[id] = value === undefined ? NO_VALUE : value;
    return value;
  }

  #openColumn(key: string): Column {
    const column: Column = [];
    this.#columns.set(key, column);
    if (this.#columns.size > KEPT_COLUMNS)
      for (const oldest of [...this.#columns.keys()].slice(0, -KEPT_COLUMNS)) this.#columns.delete(oldest);
    return column;
  }

  /** The notes of a value; `all` gives every note when the index is not there yet. */
  find({ key, value }: { key: string; value: Scalar }, all: () => Iterable<[number, Entry]>): readonly number[] {
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = new IdMultimap();
      for (const [id, entry] of all()) for (const text of valuesOf(entry, key)) index.add(text, id);
    } else this.#indexes.delete(key);
    this.#indexes.set(key, index);
    if (this.#indexes.size > KEPT_INDEXES)
      for (const oldest of [...this.#indexes.keys()].slice(0, -KEPT_INDEXES)) this.#indexes.delete(oldest);
    return index.get(valueKey(value));
  }

  update(id: number, { before, after }: { before: Entry | null; after: Entry | null }): void {
    if (before !== null && after !== null && before.yaml === after.yaml) return;
    for (const column of this.#columns.values()) column[id] = undefined;
    for (const [key, index] of this.#indexes) {
      if (before !== null) for (const text of valuesOf(before, key)) index.remove(text, id);
      if (after !== null) for (const text of valuesOf(after, key)) index.add(text, id);
    }
  }
}

/** Keys of the scalars that a note's property has, or that its list holds. */
function valuesOf(entry: Entry, key: string): readonly string[] {
  if (!mayHave(entry.yaml, key)) return [];
  return valuesAt(entry.properties, key)
    .flatMap((value) => (Array.isArray(value) ? (value as readonly PropertyValue[]) : [value]))
    .filter((value): value is Scalar => value === null || typeof value !== 'object')
    .map(valueKey);
}

/** What a note says under a key: the `properties` map goes before the keys beside it, as it does in answers. */
function ownValue(properties: Properties, key: string): PropertyValue | undefined {
  const map = properties['properties'];
  if (map !== null && typeof map === 'object' && !Array.isArray(map) && Object.hasOwn(map, key)) return (map as Properties)[key];
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** What stands at a dotted key: a key with dots in it counts as well as the path into maps. */
function valuesAt(properties: Properties, key: string): readonly PropertyValue[] {
  const found: PropertyValue[] = [];
  const value = properties[key];
  if (value !== undefined) found.push(value);
  for (let dot = key.indexOf('.'); dot > 0; dot = key.indexOf('.', dot + 1)) {
    const map = properties[key.slice(0, dot)];
    if (map !== null && typeof map === 'object' && !Array.isArray(map)) found.push(...valuesAt(map as Properties, key.slice(dot + 1)));
  }
  return found;
}

/** Whether reading the YAML can be spared: without escapes and folded lines, a key stands in it as it is. */
function mayHave(yaml: string, key: string): boolean {
  if (yaml === '') return false;
  const dot = key.indexOf('.');
  return yaml.includes(dot <= 0 ? key : key.slice(0, dot)) || yaml.includes('\\') || key.includes(' ') || key.includes("'");
}

function valueKey(value: Scalar): string {
  return `${value === null ? 'null' : typeof value} ${String(value)}`;
}
