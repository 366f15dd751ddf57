import { rankByWords } from '../../graph/search/rank-texts.ts';
import { readEnvelope } from './envelope.ts';

/** What `search_nodes` looks for: every word and every filter, or the whole text as a substring (S4-09, S4-10). */
export interface MemoryQuery {
  /** The whole query in lower case. */
  readonly whole: string;
  readonly words: readonly string[];
  readonly filters: readonly { readonly key: string; readonly value: string }[];
}

/** An entity with its texts folded once, so that a search compares and does not convert. */
export interface Searchable {
  readonly nameFolded: string;
  readonly typeFolded: string;
  /** Name, type and observations in lower case, a line feed between them. */
  readonly haystack: string;
  readonly observations: readonly string[];
}

const FILTER = /^([\p{L}_][\p{L}\p{N}_-]*):(.+)$/u;

/** Reads `type:Error normalizedKey:ts-node loader` into filters and words. */
export function readMemoryQuery(query: string): MemoryQuery {
  const words: string[] = [];
  const filters: { key: string; value: string }[] = [];
  for (const part of query.trim().split(/\s+/)) {
    if (part === '') continue;
    const filter = FILTER.exec(part);
    // `https://…` is a word, not a filter.
    if (filter !== null && !filter[2]!.startsWith('//')) filters.push({ key: filter[1]!.toLowerCase(), value: filter[2]!.toLowerCase() });
    else words.push(part.toLowerCase());
  }
  return { whole: query.toLowerCase(), words, filters };
}

/** Whether an entity answers the query. An empty query is answered by all. */
export function matchesMemory(entity: Searchable, query: MemoryQuery): boolean {
  if (entity.haystack.includes(query.whole)) return true;
  if (query.filters.length === 0 && query.words.length === 0) return true;
  return query.words.every((word) => entity.haystack.includes(word)) && query.filters.every((filter) => passes(entity, filter));
}

/** The entities that hold any word of the query and pass its filters, those with most and with the rarest words first: for a query that no entity holds as a whole. */
export function matchesSome<T extends Searchable>(entities: readonly T[], { words, filters }: MemoryQuery): readonly T[] {
  if (words.length === 0) return [];
  const passing = entities.filter((entity) => filters.every((filter) => passes(entity, filter)));
  const ranked = rankByWords(
    passing.map(({ haystack }) => haystack),
    words.join(' '),
  );
  return ranked.flatMap((at) => passing[at] ?? []);
}

function passes(entity: Searchable, { key, value }: MemoryQuery['filters'][number]): boolean {
  if (key === 'type' || key === 'entitytype') return entity.typeFolded.includes(value);
  if (key === 'name') return entity.nameFolded.includes(value);
  // A stable key carries its normalised key in the name itself (`err#cannot find module`).
  if (key === 'normalizedkey' && entity.nameFolded.slice(entity.nameFolded.indexOf('#') + 1).includes(value)) return true;
  // Cheap test first: reading JSON is for the few entities that hold both texts.
  if (!entity.haystack.includes(key) || !entity.haystack.includes(value)) return false;
  return entity.observations.some((observation) => hasField(observation, key, value));
}

function hasField(observation: string, key: string, value: string): boolean {
  const envelope = readEnvelope(observation);
  if (envelope === null)
    return observation.toLowerCase().includes(`${key}:${value}`) || observation.toLowerCase().includes(`${key}: ${value}`);
  const data = envelope.fields['data'];
  const maps = [envelope.fields, typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}];
  return maps.some((map) =>
    Object.entries(map).some(
      ([name, field]) => name.toLowerCase() === key && typeof field !== 'object' && String(field).toLowerCase().includes(value),
    ),
  );
}
