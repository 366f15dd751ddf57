import { noProperties, parseYamlValues } from '../note/frontmatter/yaml-values.ts';
import type { Properties, PropertyValue } from '../note/note.ts';
import type { Entry, PropertySource } from './entry.ts';

/** Notes whose parsed values are cached. */
const MAX_CACHED_NOTES = 512;
/** Properties with a cached column of values. */
const MAX_CACHED_COLUMNS = 24;

/** Parses the YAML of notes, with a cache of the most recently used values. */
export class PropertyReader implements PropertySource {
  readonly #kept = new Map<Entry, Properties>();

  read(entry: Entry): Properties {
    if (entry.yaml === '') return noProperties;
    const kept = this.#kept.get(entry);
    const properties = kept ?? parseYamlValues(entry.yaml);
    if (kept !== undefined) this.#kept.delete(entry);
    this.#kept.set(entry, properties);
    if (this.#kept.size > MAX_CACHED_NOTES) for (const oldest of this.#kept.keys()) return this.#forget(oldest, properties);
    return properties;
  }

  #forget(oldest: Entry, properties: Properties): Properties {
    this.#kept.delete(oldest);
    return properties;
  }
}

/** Marks a property that a note does not have. */
const NO_VALUE = Symbol('no value');
/** Values of one property by note number; undefined if not requested yet. */
type Column = (PropertyValue | typeof NO_VALUE | undefined)[];

/** The values of properties, a column per property, filled as they are requested. */
export class PropertyColumns {
  readonly #columns = new Map<string, Column>();

  /**
   * Returns the value of a key in a note's `properties` map or else its frontmatter; undefined when it has none. Values are cached by
   * property, so that a query over all notes parses no YAML twice.
   */
  valueOf(id: number, entry: Entry, key: string): PropertyValue | undefined {
    // A removed note has no number.
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
    if (this.#columns.size > MAX_CACHED_COLUMNS)
      for (const oldest of [...this.#columns.keys()].slice(0, -MAX_CACHED_COLUMNS)) this.#columns.delete(oldest);
    return column;
  }

  /** Forgets the values of a note that changed. */
  update(id: number, { before, after }: { before: Entry | null; after: Entry | null }): void {
    if (before !== null && after !== null && before.yaml === after.yaml) return;
    for (const column of this.#columns.values()) column[id] = undefined;
  }
}

/** Returns the value of a key; the `properties` map has precedence over frontmatter keys, as in answers. */
function ownValue(properties: Properties, key: string): PropertyValue | undefined {
  const map = properties['properties'];
  if (map !== null && typeof map === 'object' && !Array.isArray(map) && Object.hasOwn(map, key)) return (map as Properties)[key];
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Returns false if the YAML cannot contain the key, which saves parsing: without escapes and folded lines, a key appears literally. */
function mayHave(yaml: string, key: string): boolean {
  return yaml.includes(key) || yaml.includes('\\') || key.includes(' ') || key.includes("'");
}
