import type { Properties, PropertyValue } from './note.ts';

/** Who a text comes from, most trusted first. */
export const ORIGINS = ['person', 'agent', 'tool', 'web', 'import'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Returns the origin of what comes from several: the least trusted of them. */
export function leastOrigin(first: Origin, ...others: readonly Origin[]): Origin {
  return ORIGINS[Math.max(...[first, ...others].map((origin) => ORIGINS.indexOf(origin)))] ?? first;
}

/** Reads an origin that was written down; null: it says something else, and belongs to people. */
export function parseOrigin(value: unknown): Origin | null {
  return ORIGINS.find((origin) => origin === value) ?? null;
}

/** Returns whether the less trusted of two origins is the first one. */
export function isLower(origin: Origin, than: Origin): boolean {
  return ORIGINS.indexOf(origin) > ORIGINS.indexOf(than);
}

/**
 * Returns the origin that a note's properties tell: `origin`, `generated` and `sources` of the Open Knowledge Format, the address of a
 * clipped page, `created_by`. `isPerson` knows the names of people among those that write.
 */
export function originOf(properties: Properties, isPerson: (name: string) => boolean): Origin {
  const map = properties['properties'];
  const inner = isMap(map) ? map : {};
  const valuesOf = (key: string): readonly unknown[] => [properties[key], inner[key]].filter((value) => value !== undefined);
  const author = properties['created_by'];
  return leastOrigin(
    'person',
    ...valuesOf('origin').flatMap((value) => parseOrigin(value) ?? []),
    ...valuesOf('generated').flatMap(listOf).map(generatedBy),
    ...(['source', 'url'].flatMap(valuesOf).flatMap(listOf).some(isWebAddress) ? (['web'] as const) : []),
    ...(valuesOf('sources').flatMap(listOf).some(isWebSource) ? (['web'] as const) : []),
    ...(typeof author === 'string' && !isPerson(author) ? (['agent'] as const) : []),
  );
}

type Values = Readonly<Record<string, PropertyValue>>;

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Reads an entry of `generated`: `human:…` is a person, `process:…` a tool, any other name an agent. */
function generatedBy(entry: unknown): Origin {
  const by = isMap(entry) ? entry['by'] : entry;
  if (typeof by !== 'string') return 'person';
  return by.startsWith('human:') ? 'person' : by.startsWith('process:') ? 'tool' : 'agent';
}

function isWebSource(entry: unknown): boolean {
  return isWebAddress(isMap(entry) ? entry['resource'] : entry);
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s{0,9}https?:\/\//i.test(value);
}
