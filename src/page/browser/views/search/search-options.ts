import type { Arguments, Result } from '../../operations.ts';

export type SearchResults = Result<'suggest'>;
export type Hit = SearchResults['hits'][number];
export type HitKind = Hit['kind'];

/** How a search is narrowed and sorted. All of it is in the address. */
export interface SearchOptions {
  readonly isByMeaning: boolean;
  readonly kind: HitKind | null;
  readonly folder: string | null;
  readonly tag: string | null;
  readonly type: string | null;
  /** Only notes that were changed in these last days; null for any time. */
  readonly since: number | null;
  readonly sort: 'best' | 'changed' | 'title';
  readonly offset: number;
}

/** Names of kinds for people. */
export const KINDS: readonly (readonly [HitKind, string])[] = [
  ['note', 'Notes'],
  ['task', 'Tasks'],
  ['fact', 'Facts and their sources'],
  ['memory', 'Memory'],
];

function nameOfKind(kind: HitKind): string {
  return KINDS.find(([each]) => each === kind)?.[1] ?? kind;
}

/** Parameters of the address, all of which are removed to search without filters. */
export const FILTERS = ['kind', 'folder', 'tag', 'type', 'since'] as const;

export function readSearchOptions(query: URLSearchParams): SearchOptions {
  const text = (name: string): string | null => (query.get(name) ?? '') || null;
  const [since, offset, sort] = [Number(text('since')), Number(text('from')), text('sort')];
  return {
    isByMeaning: text('mode') === 'meaning',
    kind: KINDS.find(([kind]) => kind === text('kind'))?.[0] ?? null,
    folder: text('folder'),
    tag: text('tag'),
    type: text('type'),
    since: Number.isInteger(since) && since > 0 && since < 36_500 ? since : null,
    sort: sort === 'changed' || sort === 'title' ? sort : 'best',
    offset: Number.isInteger(offset) && offset > 0 && offset <= 10_000 ? offset : 0,
  };
}

/** Returns the arguments of a search for a text, but for how it is searched. */
export function toArguments(query: string, options: SearchOptions, limit: number): Arguments<'suggest'> {
  const { kind, folder, tag, type, since, sort, offset } = options;
  const given = Object.entries({ kind, folder, tag, type, since }).filter(([, value]) => value !== null);
  return { query, limit, offset, sort, ...Object.fromEntries(given) };
}

/** Hits under a heading. */
export interface HitGroup {
  readonly key: string;
  readonly label: string;
  readonly hits: readonly Hit[];
  /** Number of all hits of the kind, where only the first are shown. */
  readonly all?: number;
}

/** Arranges hits as they are listed: the page of notes, notes of similar meaning, then the first of each other kind. */
export function arrangeHits(found: SearchResults, similar: readonly Hit[]): readonly HitGroup[] {
  const known = new Set(found.hits.map(({ path }) => path));
  const others = [...new Set(found.hits.map(({ kind }) => kind))].filter((kind) => kind !== found.kind);
  const groups: HitGroup[] = [
    { key: found.kind, label: nameOfKind(found.kind), hits: found.hits.filter(({ kind }) => kind === found.kind) },
    { key: 'similar', label: 'Close in meaning', hits: similar.filter(({ path }) => !known.has(path)) },
    ...others.map((kind) => ({
      key: kind,
      label: nameOfKind(kind),
      hits: found.hits.filter((hit) => hit.kind === kind),
      all: found.counts[kind],
    })),
  ];
  return groups.filter(({ hits }) => hits.length > 0);
}

/** Says what waits when a search by meaning was answered by words; null if nothing does. */
export function describeWaiting({ meaning }: SearchResults): string | null {
  const { is_used: isUsed, state, embedded, all, language, reason } = meaning;
  const counts = `${embedded.toLocaleString('en')} of ${all.toLocaleString('en')}`;
  if (isUsed) return embedded < all ? `${counts} notes are ready for search by meaning; the others are found by their words.` : null;
  if (state === 'off') return `Search by meaning is off: ${reason ?? 'there is no model'}. These notes were found by their words.`;
  if (state === 'loading') return 'Search by meaning is starting. Until it is ready, notes are found by their words.';
  if (embedded < all)
    return `Notes are being made ready for search by meaning: ${counts} so far. Until then they are found by their words.`;
  if (state === 'failed') return 'Search by meaning does not work at the moment. These notes were found by their words.';
  return language === 'en'
    ? 'Search by meaning understands English only here. These notes were found by their words.'
    : 'These notes were found by their words: the query has none whose meaning could be compared.';
}
