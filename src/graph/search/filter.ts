import { isPropertyMap } from '../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../note/note.ts';
import type { GraphView, NoteEntry } from '../view.ts';
import type { SearchCondition, SearchQuery } from './query.ts';
import type { SearchRequest } from './search.ts';
import { foldText } from './words/fold-text.ts';

type Predicate = (entry: NoteEntry) => boolean;

/** Which notes may be in an answer, by what the graph knows of them. */
export interface NoteFilter {
  /** Without hidden notes; folder, type, tags and path. */
  readonly byCatalog: Predicate;
  /** By frontmatter values, which are parsed for it; null when none are asked for. */
  readonly byProperties: Predicate | null;
}

/** What parsing the properties of a note costs, in characters that could be looked through meanwhile. */
export const PROPERTIES_COST = 8000;

/** The filter of a request. */
export function noteFilter(graph: GraphView, request: { query: SearchQuery | null; filter: SearchRequest['filter'] }): NoteFilter {
  const { query, filter } = request;
  const under = filter?.under?.replace(/\/+$/, '') ?? '';
  const tests = [
    ...(query?.conditions ?? []).map((condition) => conditionTest(graph, condition)),
    ...(query?.without.conditions ?? []).map((condition) => negated(conditionTest(graph, condition))),
  ];
  const [properties, others] = [
    tests.filter(({ readsProperties }) => readsProperties),
    tests.filter(({ readsProperties }) => !readsProperties),
  ];
  return {
    byCatalog: (entry) =>
      !entry.isHidden &&
      (under === '' || entry.path.startsWith(`${under}/`)) &&
      (filter?.type === undefined || entry.type === filter.type) &&
      others.every(({ holds }) => holds(entry)),
    byProperties: properties.length === 0 ? null : (entry) => properties.every(({ holds }) => holds(entry)),
  };
}

interface Test {
  readonly holds: Predicate;
  readonly readsProperties: boolean;
}

function negated({ holds, readsProperties }: Test): Test {
  return { holds: (entry) => !holds(entry), readsProperties };
}

function conditionTest(graph: GraphView, condition: SearchCondition): Test {
  if (condition.kind === 'property') return { holds: (entry) => hasProperty(entry, condition), readsProperties: true };
  const value = foldText(condition.value);
  if (condition.kind === 'path') return { holds: (entry) => foldText(entry.path).includes(value), readsProperties: false };
  if (condition.kind === 'type') return { holds: (entry) => entry.type !== null && foldText(entry.type) === value, readsProperties: false };
  const tagged = new Set(graph.byTag(condition.value).map((entry) => entry.path));
  return { holds: (entry) => tagged.has(entry.path), readsProperties: false };
}

function hasProperty(entry: NoteEntry, { key, value }: { key: string; value: string | null }): boolean {
  const wanted = foldText(key);
  const { properties } = entry;
  const map = properties['properties'];
  // Tools keep a node's own in a map (E-28).
  const pairs = [...Object.entries(properties), ...(isPropertyMap(map) ? Object.entries(map) : [])];
  for (const [name, held] of pairs) {
    if (foldText(name) === wanted && (value === null || holdsValue(held, foldText(value)))) return true;
  }
  return false;
}

/** A value equals what was asked for, or is a list that has it; links also by what stands in their brackets. */
function holdsValue(held: PropertyValue, value: string): boolean {
  if (Array.isArray(held)) return held.some((part: PropertyValue) => holdsValue(part, value));
  if (held !== null && typeof held === 'object') return false;
  const text = foldText(held === null ? 'null' : String(held)).trim();
  return text === value || (text.startsWith('[[') && text.endsWith(']]') && text.slice(2, -2) === value);
}
