import { isRecord } from '../../is-record.ts';
import { readYaml } from '../../note/frontmatter/yaml-values.ts';
import type { Direction } from '../expression.ts';
import { queryError } from '../query-error.ts';
import { readLayout } from './view-layout.ts';
import type { ViewLayout } from './view-layout.ts';

/** A condition, or several of which all, any or none must be true. */
export type Filter = string | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly Filter[] };

/** A property as a view names it (`file.name`, `note.age`, `price`, `formula.ppu`), and its sort direction. */
export interface SortKey {
  readonly property: string;
  readonly direction: Direction;
}

export interface BaseView {
  readonly name: string;
  readonly type: string;
  readonly filter: Filter;
  /** The properties to show, in order. */
  readonly order: readonly string[];
  readonly sort: readonly SortKey[];
  readonly groupBy: SortKey | null;
  readonly limit: number | null;
  /** The name of the summary of each property. */
  readonly summaries: ReadonlyMap<string, string>;
  readonly layout: ViewLayout;
}

/** The content of a `.base` file. */
export interface Base {
  readonly filter: Filter;
  readonly formulas: ReadonlyMap<string, string>;
  /** The display names of properties. */
  readonly titles: ReadonlyMap<string, string>;
  /** The formulas of custom summaries, by name. */
  readonly summaries: ReadonlyMap<string, string>;
  readonly views: readonly BaseView[];
}

/** Limits of a base, which is an untrusted file. */
export const baseLimits = { characters: 64 * 1024, conditions: 500, names: 200, views: 100 } as const;

const NO_FILTER: Filter = { kind: 'and', parts: [] };

/** Parses a `.base` file: YAML as Obsidian documents it (Bases syntax). Throws `INVALID_PARAMS` that says which part is invalid. */
export function readBase(text: string, path: string): Base {
  return new BaseReader(path).read(text);
}

class BaseReader {
  readonly #path: string;
  #conditions = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(text: string): Base {
    if (text.length > baseLimits.characters) throw this.#error(`it is longer than ${baseLimits.characters / 1024} KB`);
    const { data, isReadable, problems } = readYaml(text.replace(/^\uFEFF/, ''));
    // The YAML reader's messages speak of frontmatter.
    const [problem] = problems;
    if (!isReadable)
      throw this.#error(
        (problem?.message ?? 'its YAML cannot be read').replace('The frontmatter', 'its YAML'),
        problem?.line === undefined ? {} : { line: problem.line },
      );
    const views = this.#list(data['views'], 'views', baseLimits.views).map((view, index) => this.#view(view, index));
    return {
      filter: this.#filter(data['filters'], 'filters'),
      formulas: this.#texts(data['formulas'], 'formulas'),
      titles: new Map([...this.#texts(data['display'], 'display'), ...this.#titles(data['properties'])]),
      summaries: this.#texts(data['summaries'], 'summaries'),
      views: views.length > 0 ? views : [this.#view({}, 0)],
    };
  }

  #view(view: unknown, index: number): BaseView {
    const place = `views[${index}]`;
    if (!isRecord(view)) throw this.#errorAt(place, 'is not a map');
    const { name, type, limit, groupBy } = view;
    return {
      name: typeof name === 'string' && name !== '' ? name : typeof name === 'number' ? String(name) : `View ${index + 1}`,
      type: typeof type === 'string' ? type : 'table',
      filter: this.#filter(view['filters'], `${place}.filters`),
      order: this.#list(view['order'], `${place}.order`, baseLimits.names).map((each) => this.#property(each, `${place}.order`)),
      sort: this.#list(view['sort'], `${place}.sort`, baseLimits.names).map((each) => this.#sortKey(each, `${place}.sort`)),
      groupBy: groupBy === undefined || groupBy === null || groupBy === '' ? null : this.#sortKey(groupBy, `${place}.groupBy`),
      limit: typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : null,
      summaries: this.#texts(view['summaries'], `${place}.summaries`),
      layout: readLayout(view),
    };
  }

  #sortKey(key: unknown, place: string): SortKey {
    if (!isRecord(key)) return { property: this.#property(key, place), direction: 1 };
    // Earlier versions of Obsidian wrote `column`.
    const property = this.#property(key['property'] ?? key['column'], place);
    return { property, direction: String(key['direction']).toUpperCase() === 'DESC' ? -1 : 1 };
  }

  #property(name: unknown, place: string): string {
    if (typeof name === 'string' && name !== '') return name;
    if (typeof name === 'number' || typeof name === 'boolean') return String(name);
    throw this.#errorAt(place, 'has an entry that names no property');
  }

  #filter(filter: unknown, place: string): Filter {
    this.#conditions += 1;
    if (this.#conditions > baseLimits.conditions) throw this.#error(`it has more than ${baseLimits.conditions} conditions`);
    if (filter === undefined || filter === null || filter === '') return NO_FILTER;
    if (typeof filter === 'string') return filter;
    if (typeof filter === 'number' || typeof filter === 'boolean') return String(filter);
    if (!isRecord(filter)) throw this.#errorAt(place, 'is neither a condition nor and, or, not');
    const parts = Object.entries(filter).map(([kind, each]): Filter => {
      if (kind !== 'and' && kind !== 'or' && kind !== 'not')
        throw this.#errorAt(place, `has "${kind.slice(0, 50)}", where and, or, not or a condition is expected`);
      const list = Array.isArray(each) ? (each as readonly unknown[]) : each === null ? [] : [each];
      return { kind, parts: list.map((part, index) => this.#filter(part, `${place}.${kind}[${index}]`)) };
    });
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'and', parts };
  }

  #titles(properties: unknown): Map<string, string> {
    if (properties === undefined || properties === null) return new Map();
    if (!isRecord(properties)) throw this.#errorAt('properties', 'is not a map');
    const titles = Object.entries(properties).map(([name, each]) => [name, isRecord(each) ? each['displayName'] : null] as const);
    return new Map(titles.filter((pair): pair is readonly [string, string] => typeof pair[1] === 'string' && pair[1] !== ''));
  }

  /** Reads a map of texts; other scalars are converted. */
  #texts(map: unknown, place: string): Map<string, string> {
    if (map === undefined || map === null) return new Map();
    if (!isRecord(map)) throw this.#errorAt(place, 'is not a map');
    const texts = Object.entries(map).filter(
      ([, each]) => typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean',
    );
    if (texts.length > baseLimits.names) throw this.#errorAt(place, `has more than ${baseLimits.names} entries`);
    return new Map(texts.map(([name, each]) => [name, String(each)]));
  }

  #list(list: unknown, place: string, most: number): readonly unknown[] {
    if (list === undefined || list === null) return [];
    if (!Array.isArray(list)) throw this.#errorAt(place, 'is not a list');
    if (list.length > most) throw this.#errorAt(place, `has more than ${most} entries`);
    return list as readonly unknown[];
  }

  /** `place`: the value that is wrong, `views[0].order`. */
  #errorAt(place: string, message: string): Error {
    return this.#error(`${place} ${message}`, { place });
  }

  #error(message: string, about: { readonly line?: number; readonly place?: string } = {}): Error {
    return queryError(`${this.#path} cannot be read as a base: ${message}.`, { path: this.#path, ...about });
  }
}
