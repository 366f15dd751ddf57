import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import { baseName } from '../../../note/path.ts';
import { hasTag } from '../../catalog.ts';
import type { GraphView, NoteEntry } from '../../view.ts';
import { toComparable } from '../query/property-values.ts';
import type { PropertyValueTest, Test } from '../query/query.ts';
import type { SearchRequest } from '../search.ts';
import { foldText } from '../words/fold-text.ts';

type Predicate = (entry: NoteEntry) => boolean;

/** Cost of parsing the properties of a note, in characters searched in the same time. */
export const PROPERTIES_COST = 8000;

/** Returns the filter for all queries: visible notes, of a folder or type if requested, or the reserved files of bundles. */
export function scopeFilter(filter: SearchRequest['filter'], { bundles }: Pick<GraphView, 'bundles'>): Predicate {
  const under = filter?.under?.replace(/(?<!\/)\/+$/, '') ?? '';
  return (entry) =>
    (filter?.areReserved === true ? bundles.isReserved(entry.path) : !entry.isHidden) &&
    (under === '' || entry.path.startsWith(`${under}/`)) &&
    (filter?.type === undefined || entry.type === filter.type);
}

/** Returns a condition on what the graph knows of a note. */
export function fieldTest(graph: GraphView, { kind, value }: Extract<Test, { kind: 'file' | 'path' | 'tag' | 'type' }>): Predicate {
  const wanted = foldText(value);
  if (kind === 'path') return (entry) => foldText(entry.path).includes(wanted);
  if (kind === 'file') return (entry) => foldText(`${baseName(entry.path)}.md`).includes(wanted);
  if (kind === 'type') return (entry) => entry.type !== null && foldText(entry.type) === wanted;
  const tagged = graph.facets.tagTest(value);
  // The graph says nothing of a note that is not in it yet.
  return (entry) => tagged(entry) || (entry.hash === '' && !entry.isHidden && hasTag(entry, value));
}

/** Returns a condition on properties, which it parses: frontmatter keys and those in the tools' map (E-28). */
export function propertyTest({ key, values }: Extract<Test, { kind: 'property' }>): Predicate {
  const wanted = foldText(key);
  const tests = values?.map(valueTest) ?? [() => true];
  return ({ properties }) => {
    const map = properties['properties'];
    const pairs = [...Object.entries(properties), ...(isPropertyMap(map) ? Object.entries(map) : [])];
    return pairs.some(([name, held]) => foldText(name) === wanted && tests.some((holds) => holds(held)));
  };
}

function valueTest(test: PropertyValueTest): (held: PropertyValue) => boolean {
  if (test.kind === 'empty') return (held) => held === null;
  const holds = test.kind === 'equals' ? equals(foldText(test.value)) : compares(test);
  const holdsAny = (held: PropertyValue): boolean =>
    Array.isArray(held)
      ? held.some((part: PropertyValue) => holdsAny(part))
      : held !== null && typeof held !== 'object' && holds(String(held));
  return holdsAny;
}

/** Compares a value, or each item of a list; links also by the text in their brackets. */
function equals(value: string): (held: string) => boolean {
  return (held) => {
    const text = foldText(held).trim();
    return text === value || (text.startsWith('[[') && text.endsWith(']]') && text.slice(2, -2) === value);
  };
}

/** Compares numbers with numbers and dates with dates, at the precision of the requested date. */
function compares({ by, value }: Extract<PropertyValueTest, { kind: 'compare' }>): (held: string) => boolean {
  const asked = toComparable(value);
  return (text) => {
    const held = toComparable(text);
    if (asked === null || held === null) return false;
    if ('number' in asked) return 'number' in held && isOrdered(held.number, by, asked.number);
    return 'date' in held && isOrdered(held.date.slice(0, asked.date.length), by, asked.date);
  };
}

function isOrdered<T extends number | string>(held: T, by: '<' | '<=' | '>' | '>=', asked: T): boolean {
  if (by === '<') return held < asked;
  if (by === '<=') return held <= asked;
  return by === '>' ? held > asked : held >= asked;
}
