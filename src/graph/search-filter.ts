import type { PropertyValue } from '../note/note.ts';
import { foldText } from './fold-text.ts';
import type { SearchRequest } from './search.ts';
import type { SearchCondition, SearchQuery } from './search-query.ts';
import type { GraphView, NoteEntry } from './view.ts';

/** Whether a note may be in an answer, by what the graph knows of it. */
export type NoteFilter = (entry: NoteEntry) => boolean;

/** The filter of a request: hidden notes are out, conditions hold, unwanted ones do not. */
export function noteFilter(graph: GraphView, request: { query: SearchQuery | null; filter: SearchRequest['filter'] }): NoteFilter {
  const { query, filter } = request;
  const under = filter?.under?.replace(/\/+$/, '') ?? '';
  const wanted = (query?.conditions ?? []).map((condition) => conditionFilter(graph, condition));
  const unwanted = (query?.without.conditions ?? []).map((condition) => conditionFilter(graph, condition));
  return (entry) =>
    !entry.isHidden &&
    (under === '' || entry.path.startsWith(`${under}/`)) &&
    (filter?.type === undefined || entry.type === filter.type) &&
    wanted.every((holds) => holds(entry)) &&
    !unwanted.some((holds) => holds(entry));
}

function conditionFilter(graph: GraphView, condition: SearchCondition): NoteFilter {
  if (condition.kind === 'property') return (entry) => hasProperty(entry, condition);
  const value = foldText(condition.value);
  if (condition.kind === 'path') return (entry) => foldText(entry.path).includes(value);
  if (condition.kind === 'type') return (entry) => entry.type !== null && foldText(entry.type) === value;
  const tagged = new Set(graph.byTag(condition.value).map((entry) => entry.path));
  return (entry) => tagged.has(entry.path);
}

function hasProperty(entry: NoteEntry, { key, value }: { key: string; value: string | null }): boolean {
  const wanted = foldText(key);
  for (const [name, held] of Object.entries(entry.properties)) {
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
