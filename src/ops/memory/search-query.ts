import { rankByWords } from '../../graph/search/rank-texts.ts';
import { readEnvelope } from './envelope.ts';

/** A query of `search_nodes`: all words and filters, or the whole text as a substring (S4-09, S4-10). */
export interface MemoryQuery {
  /** The query in lower case. */
  readonly whole: string;
  readonly words: readonly string[];
  readonly filters: readonly { readonly key: string; readonly value: string }[];
}

/** The folded texts of an entity, computed once for all searches. */
export interface Searchable {
  readonly nameFolded: string;
  readonly typeFolded: string;
  /** Name, type and observations in lower case, separated by line feeds. */
  readonly haystack: string;
  readonly observations: readonly string[];
}

const FILTER = /^([\p{L}_][\p{L}\p{N}_-]*):(.+)$/u;

/** Parses `type:Error normalizedKey:ts-node loader` into filters and words. */
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

/** Returns whether an entity matches a query. All match an empty query. */
export function matchesMemory(entity: Searchable, query: MemoryQuery): boolean {
  if (entity.haystack.includes(query.whole)) return true;
  if (query.filters.length === 0 && query.words.length === 0) return true;
  return query.words.every((word) => entity.haystack.includes(word)) && query.filters.every((filter) => passes(entity, filter));
}

/** Returns the entities that contain any word and pass the filters, ordered by the number and rarity of their words. */
export function findPartialMatches<T extends Searchable>(entities: readonly T[], { words, filters }: MemoryQuery): readonly T[] {
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
  // Parses JSON only of the few entities that contain both texts.
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
