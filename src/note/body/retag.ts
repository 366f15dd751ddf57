import { RouxError } from '../../errors.ts';
import type { TagRename } from '../change.ts';
import { editProperties } from '../frontmatter/property-edit.ts';
import { isPropertyList } from '../frontmatter/property-value.ts';
import { findFrontmatter, readFrontmatter } from '../frontmatter/read-frontmatter.ts';
import type { PropertyValue } from '../note.ts';
import { readBody } from '../parse.ts';
import { foldKey } from '../path.ts';
import { applySplices } from '../text.ts';
import { isRewritten } from './relink.ts';

export interface TagRenames {
  /** Returns the new name of a tag, both without `#`; null if it is not renamed. */
  readonly tagAfter: (tag: string) => string | null;
}

/** Creates renames of tags. Nested tags keep their suffix, and the longer of two matching renames wins. Case does not matter. */
export function tagRenames(tags: readonly TagRename[]): TagRenames {
  const wanted = tags
    .map(({ from, to }) => ({ key: foldKey(from), depth: from.split('/').length, to }))
    .toSorted((a, b) => b.depth - a.depth);
  return {
    tagAfter(tag) {
      const parts = tag.split('/');
      const found = wanted.find(({ key, depth }) => foldKey(parts.slice(0, depth).join('/')) === key);
      if (found === undefined) return null;
      const after = [found.to, ...parts.slice(found.depth)].join('/');
      return after === tag ? null : after;
    },
  };
}

/**
 * Renames tags in the body and the property `tags` (E-20); code, links, URLs, math and HTML comments contain none. A tag that a list
 * already has is not added again. Throws `INVALID_PARAMS` when a tag cannot be written without changing others.
 */
export function retag(path: string, text: string, tags: readonly TagRename[]): string {
  const renames = tagRenames(tags);
  return retagProperties(path, retagBody(path, text, renames), tags, renames);
}

function retagBody(path: string, text: string, renames: TagRenames): string {
  if (!text.includes('#')) return text;
  const before = readBody(text);
  const splices = before.tagUses.flatMap(({ tag, start, end }) => {
    const after = renames.tagAfter(tag);
    return after === null ? [] : [{ start, end, text: `#${after}` }];
  });
  if (splices.length === 0) return text;
  const result = applySplices(text, splices);
  const wanted = { linkOf: ({ link }: { readonly link: string }) => link, tagOf: (tag: string) => renames.tagAfter(tag) ?? tag };
  if (isRewritten(before, readBody(result), wanted)) return result;
  const names = [...new Set(splices.map(({ text: name }) => name))].join(', ');
  throw new RouxError('INVALID_PARAMS', `A tag of ${path} cannot be written as ${names} without changing others. Choose a simpler name.`, {
    path,
  });
}

function retagProperties(path: string, text: string, tags: readonly TagRename[], renames: TagRenames): string {
  if (!mayHoldTag(text, tags)) return text;
  const { data } = readFrontmatter(text);
  const value = data['tags'] ?? null;
  const after = retagValue(value, renames);
  return after === value ? text : editProperties(path, text, [{ op: 'set', key: ['tags'], value: after }]);
}

/**
 * Returns whether one of the tags may be in the frontmatter, possibly escaped: a text search is faster than parsing the values of a
 * thousand notes.
 */
function mayHoldTag(text: string, tags: readonly TagRename[]): boolean {
  const yaml = findFrontmatter(text)?.yaml;
  if (yaml === undefined || yaml === null) return false;
  const source = foldKey(text.slice(yaml.start, yaml.end));
  return source.includes('\\') || tags.some(({ from }) => source.includes(foldKey(from)));
}

/** Renames tags in a property: a list, or a text with tags. Returns the same value when nothing changes. */
function retagValue(value: PropertyValue, renames: TagRenames): PropertyValue {
  if (isPropertyList(value)) {
    const kept = retagAll(
      value.map((entry) => (typeof entry === 'string' ? entry : null)),
      renames,
    );
    return kept === null ? value : kept.map(({ at, text }) => text ?? value[at] ?? null);
  }
  if (typeof value !== 'string') return value;
  const words = value.split(/([\s,]+)/);
  const kept = retagAll(
    words.filter((_, index) => index % 2 === 0),
    renames,
  );
  if (kept === null) return value;
  return kept.map(({ at, text }, index) => (index === 0 ? '' : (words[at * 2 - 1] ?? '')) + (text ?? '')).join('');
}

/** Returns the remaining entries, renamed, with their indexes; null when nothing changes. `null` entries are not tags and stay. */
function retagAll(
  entries: readonly (string | null)[],
  renames: TagRenames,
): readonly { readonly at: number; readonly text: string | null }[] | null {
  const named = entries.map((entry, at) => {
    const text = entry ?? '';
    const open = /^\s*#?/.exec(text)?.[0] ?? '';
    const tag = text.slice(open.length).trimEnd();
    const close = text.slice(open.length + tag.length);
    const after = entry === null || tag === '' ? null : renames.tagAfter(tag);
    return { at, text: after === null ? entry : open + after + close, key: foldKey(after ?? tag), isRenamed: after !== null };
  });
  if (!named.some(({ isRenamed }) => isRenamed)) return null;
  const standing = new Set(named.flatMap(({ key, isRenamed, text }) => (isRenamed || text === null ? [] : [key])));
  return named.filter(({ key, isRenamed }) => {
    if (!isRenamed) return true;
    if (standing.has(key)) return false;
    standing.add(key);
    return true;
  });
}
