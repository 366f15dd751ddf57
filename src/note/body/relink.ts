import { RouxError } from '../../errors.ts';
import type { Relink } from '../change.ts';
import { editProperties } from '../frontmatter/property-edit.ts';
import type { PropertyChange } from '../frontmatter/property-edit.ts';
import { readFrontmatterLinks } from '../frontmatter/property-links.ts';
import { isPropertyList, isPropertyMap } from '../frontmatter/property-value.ts';
import { findFrontmatter, readFrontmatter } from '../frontmatter/read-frontmatter.ts';
import { encodeDestination, splitLinkText } from '../markdown/link-text.ts';
import type { Scan } from '../markdown/scan.ts';
import type { Link, LinkForm, Properties, PropertyValue } from '../note.ts';
import { readBody } from '../parse.ts';
import type { ReadText } from '../parse.ts';
import { applySplices } from '../text.ts';
import type { Splice } from '../text.ts';

/**
 * Rewrites links in the body and properties of a text; everything else keeps its bytes. Offsets come from the scanner when it is certain
 * and from the full parser otherwise, which is thirty times slower and alone would cost more than writing the files. Tests verify that both
 * readers give the same offsets and rewrites.
 */
export function relink(path: string, text: string, links: readonly Relink[]): ReadText {
  const wanted = byLink(links);
  const after = relinkBody(path, text, wanted);
  const properties = propertyLinks(text).filter((link) => wanted.has(linkKey(link.form, link.link)));
  if (properties.length === 0) return after;
  return { text: relinkProperties(path, after.text, new Set(properties.map((link) => link.property)), wanted), body: null };
}

/** Returns the key of a link within a note: form, trimmed path, subpath. */
function linkKey(form: LinkForm, link: string): string {
  const { linkpath, subpath } = splitLinkText(link);
  return `${form}\n${linkpath}${subpath}`;
}

/** Returns the splices of the links in a body, or in a text without frontmatter; verified by parsing the result. */
export function relinkSplices(path: string, text: string, links: readonly Relink[]): Splice[] {
  return relinkBody(path, text, byLink(links)).splices;
}

function relinkBody(path: string, text: string, wanted: ReadonlyMap<string, Relink>): ReadText & { readonly splices: Splice[] } {
  const before = readBody(text);
  const splices = before.links.flatMap((link) => {
    const change = wanted.get(linkKey(link.form, link.link));
    return change === undefined ? [] : linkSplices(text, link, change);
  });
  if (splices.length === 0) return { text, body: before, splices };
  const linkOf = ({ form, link }: Link): string => wanted.get(linkKey(form, link))?.to ?? link;
  const changed = applySplices(text, splices);
  const body = readBody(changed);
  if (!isRewritten(before, body, { linkOf, tagOf: (tag) => tag })) throw unwritable(path, before.links, wanted);
  return { text: changed, body, splices };
}

/** Returns whether a text parses like another one with the wanted links and tags, with nothing else added, lost or changed. */
export function isRewritten(
  before: Scan,
  after: Scan,
  wanted: { readonly linkOf: (link: Link) => string; readonly tagOf: (tag: string) => string },
): boolean {
  return (
    after.links.length === before.links.length &&
    after.links.every((link, index) => {
      const old = before.links[index] as Link;
      return link.form === old.form && link.kind === old.kind && link.link === wanted.linkOf(old);
    }) &&
    hasSame(before.tagUses, after.tagUses, ({ tag }, isOld) => (isOld ? wanted.tagOf(tag) : tag)) &&
    hasSame(before.headings, after.headings, ({ level }) => level) &&
    hasSame(before.blocks, after.blocks, ({ id }) => id)
  );
}

function hasSame<Found>(
  before: readonly Found[],
  after: readonly Found[],
  nameOf: (found: Found, isOld: boolean) => string | number,
): boolean {
  return before.length === after.length && before.every((found, index) => nameOf(found, true) === nameOf(after[index] as Found, false));
}

function byLink(links: readonly Relink[]): ReadonlyMap<string, Relink> {
  return new Map(links.map((link) => [linkKey(link.form, link.link), link]));
}

function linkSplices(text: string, link: Link, change: Relink): Splice[] {
  const { start, end } = link.target;
  if (link.form === 'wikilink') {
    const alias = change.label !== undefined && link.alias?.trim() === change.label.from ? aliasSplice(text, link, change.label) : [];
    return [{ start, end, text: change.to }, ...alias];
  }
  const isAngled = text[start - 1] === '<' && text[end] === '>';
  const target = { start, end, text: encodeDestination(change.to, isAngled) };
  const open = link.start + (link.kind === 'embed' ? 2 : 1);
  const label = change.label;
  if (link.form === 'reference' || label === undefined || !text.startsWith(`${label.from}](`, open)) return [target];
  return [{ start: open, end: open + label.from.length, text: label.to }, target];
}

function aliasSplice(text: string, link: Link, label: { from: string; to: string }): Splice[] {
  const pipe = text.indexOf('|', link.target.end);
  const start = text.indexOf(label.from, pipe + 1);
  return pipe === -1 || start === -1 || start >= link.end ? [] : [{ start, end: start + label.from.length, text: label.to }];
}

/** Rewrites property values as values, so that each keeps its quotes and is escaped accordingly. */
function relinkProperties(path: string, text: string, names: ReadonlySet<string | undefined>, wanted: ReadonlyMap<string, Relink>): string {
  const { data } = readFrontmatter(text);
  const changed = Object.entries(data).flatMap(([key, value]): PropertyChange[] => {
    const after = relinkValue(path, value, key, names, wanted);
    return after === value ? [] : [{ op: 'set', key: [key], value: after }];
  });
  return editProperties(path, text, changed);
}

function relinkValue(
  path: string,
  value: PropertyValue,
  name: string,
  names: ReadonlySet<string | undefined>,
  wanted: ReadonlyMap<string, Relink>,
): PropertyValue {
  if (typeof value === 'string') return names.has(name) ? relinkBody(path, value, wanted).text : value;
  if (isPropertyList(value)) {
    const after = value.map((entry, index) => relinkValue(path, entry, `${name}.${index}`, names, wanted));
    return after.every((entry, index) => entry === value[index]) ? value : after;
  }
  if (!isPropertyMap(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, relinkValue(path, entry, `${name}.${key}`, names, wanted)] as const);
  return entries.every(([key, entry]) => entry === value[key]) ? value : (Object.fromEntries(entries) as Properties);
}

/** Returns the links of a text, those of its frontmatter first. */
export function readLinks(text: string): readonly Link[] {
  return [...propertyLinks(text), ...readBody(text).links];
}

/** Parses values only if they may contain links. */
function propertyLinks(text: string): readonly Link[] {
  const yaml = findFrontmatter(text)?.yaml;
  const source = yaml === undefined ? '' : text.slice(yaml.start, yaml.end);
  if (yaml === undefined || (!source.includes('[[') && !source.includes(']('))) return [];
  return readFrontmatter(text).isReadable ? readFrontmatterLinks(source, yaml.start) : [];
}

function unwritable(path: string, links: readonly Link[], wanted: ReadonlyMap<string, Relink>): RouxError {
  const names = links.flatMap((link) => wanted.get(linkKey(link.form, link.link))?.to ?? []);
  return new RouxError(
    'INVALID_PARAMS',
    `A link of ${path} cannot be written as ${[...new Set(names)].map((name) => `"${name}"`).join(', ')} without changing others. Choose a simpler name.`,
    { path, links: names },
  );
}
