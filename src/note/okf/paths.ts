import { isPropertyList, isPropertyMap } from '../frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../note.ts';

/** A property whose value may be a path in the bundle (section 6.2). */
export interface PathValue {
  readonly key: 'resource' | 'sources' | 'computation' | 'executor' | 'attester';
  readonly path: string;
}

const MAX_SOURCES = 1_000;

/** Returns the values that look like paths of files: no address, no description of a scope. */
export function pathValues(properties: Properties): readonly PathValue[] {
  const { resource, sources, computation, executor, attester } = properties;
  const ofSources = isPropertyList(sources) ? sources.slice(0, MAX_SOURCES).map((source) => resourceOf(source)) : [];
  const named: readonly (readonly [PathValue['key'], PropertyValue | undefined])[] = [
    ['resource', resource],
    ...ofSources.map((path) => ['sources', path] as const),
    ['computation', computation],
    ['executor', resourceOf(executor)],
    ['attester', resourceOf(attester)],
  ];
  return named.flatMap(([key, path]) => (typeof path === 'string' && isFilePath(path) ? [{ key, path: path.trim() }] : []));
}

function resourceOf(value: PropertyValue | undefined): PropertyValue | undefined {
  return isPropertyMap(value) ? value['resource'] : undefined;
}

/** A path with an extension, and no space, scheme or wildcard. */
function isFilePath(text: string): boolean {
  return /^(?:\/|\.{1,2}\/)?[^\s:*?#]+\.[A-Za-z0-9]{1,8}$/.test(text.trim()) && !text.trim().startsWith('//');
}
