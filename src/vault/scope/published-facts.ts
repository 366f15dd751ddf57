import { openGraph } from '../../graph/open-graph.ts';
import type { GraphView } from '../../graph/view.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { readWikilink } from '../../note/markdown/wikilink.ts';
import type { Note, Properties, PropertyValue } from '../../note/note.ts';
import { noteWith } from '../../note/parse.ts';
import { fileName } from '../../note/path.ts';
import type { FileTimes } from '../read-files.ts';
import type { Notes, Settings, Vault } from '../vault.ts';
import { composeNote } from './published-view.ts';
import type { Published, PublishedView } from './published-view.ts';

/**
 * The published notes as a graph of their own, for what queries them. Its links and properties name nothing else: a link to a note that is
 * not published is gone, and in a property it is the text that it shows.
 */
export interface PublishedFacts {
  readonly graph: GraphView;
  readonly notes: Pick<Notes, 'timesOf'>;
  readonly ports: Vault['ports'];
  readonly settings: Pick<Settings, 'isHidden'>;
  /** Returns the path in the vault of a file. The graph names attachments without their folder, which may not be published. */
  pathOf(file: string): string;
}

/** Returns the linkpath by which the graph knows what a link leads to; null for nothing that is published. */
type LinkTo = (linkpath: string, from: string) => string | null;

const WIKILINK = /!?\[\[[^[\]]+\]\]/g;
const EXTERNAL = /^[a-z][a-z\d+.-]*:/i;

/** Creates the graph. Each note is read and parsed. */
export function publishedFacts(whole: Vault, view: PublishedView, { notes, attachments, pages }: Published): PublishedFacts {
  const [names, paths] = nameFiles(attachments);
  const linkTo: LinkTo = (linkpath, from) => {
    const target = view.graph.resolve({ linkpath, from });
    if (target.kind === 'unresolved') return null;
    return target.kind === 'note' ? target.path.replace(/\.md$/i, '') : (names.get(target.path) ?? target.path);
  };
  const sizes = new Map<string, number>();
  const graph = openGraph();
  graph.batch(() => {
    for (const file of [...names.values(), ...pages]) graph.putAttachment(file);
    for (const path of notes) {
      const [entry, found] = [whole.graph.get(path), view.notes.readUnstable(path)];
      if (entry === null || found === null) continue;
      // The size of the whole file would tell how much of it is left out.
      const size = Buffer.byteLength(found.note.text);
      sizes.set(path, size);
      graph.put(withPublishedLinks(found.note, linkTo), { stamp: { ...entry.stamp, size }, hash: entry.hash });
    }
  });
  const pathOf = (file: string): string => paths.get(file) ?? file;
  const timesOf = (path: string): FileTimes | null => {
    const times = whole.notes.timesOf(pathOf(path));
    return times === null ? null : { ...times, size: sizes.get(path) ?? times.size };
  };
  return { graph, notes: { timesOf }, ports: whole.ports, settings: { isHidden: () => false }, pathOf };
}

/** Returns a name for each attachment, which is unique, and the attachment of each name. */
function nameFiles(attachments: ReadonlySet<string>): readonly [names: ReadonlyMap<string, string>, paths: ReadonlyMap<string, string>] {
  const paths = new Map<string, string>();
  for (const path of [...attachments].sort()) {
    let [name, number] = [fileName(path), 1];
    while (paths.has(name)) name = `${(number += 1)}/${fileName(path)}`;
    paths.set(name, path);
  }
  return [new Map([...paths].map(([name, path]) => [path, name])), paths];
}

function withPublishedLinks(note: Note, linkTo: LinkTo): Note {
  const properties = withLinkTexts(note.frontmatter.data, (text) => publishLinks(text, note.path, linkTo));
  const parsed = composeNote(note.path, properties, note.text.slice(note.bodyStart));
  const links = parsed.links.flatMap((link) => {
    const { linkpath, subpath } = splitLinkText(link.link);
    const target = linkpath === '' || link.property !== undefined ? linkpath : linkTo(linkpath, note.path);
    return target === null ? [] : [{ ...link, form: 'wikilink' as const, link: `${target}${subpath}` }];
  });
  return noteWith(parsed, { links });
}

/** Replaces the wikilinks in a text by links that the graph of published notes resolves, or by the text that they show. */
function publishLinks(text: string, from: string, linkTo: LinkTo): string {
  return text.replaceAll(WIKILINK, (whole) => {
    const { link, alias, kind } = readWikilink(whole, { start: 0, end: whole.length });
    const { linkpath, subpath } = splitLinkText(link);
    if (linkpath === '' || EXTERNAL.test(linkpath)) return whole;
    const target = linkTo(linkpath, from);
    if (target === null) return alias ?? shownName(link);
    return `${kind === 'embed' ? '!' : ''}[[${target}${subpath}${alias === undefined ? '' : `|${alias}`}]]`;
  });
}

/** Returns what is shown of a link without a text of its own: its name, without the folder. */
function shownName(link: string): string {
  return link.replace(/^.*\//, '');
}

/** Returns properties with the wikilinks in them that lead to no published note as the texts that they show. */
export function withShownLinks(properties: Properties, path: string, { resolve }: PublishedView['graph']): Properties {
  return withLinkTexts(properties, (text) =>
    text.replaceAll(WIKILINK, (whole) => {
      const { link, alias } = readWikilink(whole, { start: 0, end: whole.length });
      const { linkpath } = splitLinkText(link);
      const isKept = linkpath === '' || EXTERNAL.test(linkpath) || resolve({ linkpath, from: path }).kind === 'note';
      return isKept ? whole : (alias ?? shownName(link));
    }),
  );
}

function withLinkTexts(properties: Properties, change: (text: string) => string): Properties {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, withLinkText(value, change)]));
}

function withLinkText(value: PropertyValue, change: (text: string) => string): PropertyValue {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return withLinkTexts(value as Properties, change);
  const list = value as readonly PropertyValue[];
  // YAML reads a link without quotes as a list in a list.
  const [inner] = list;
  if (list.length === 1 && Array.isArray(inner) && inner.length === 1 && typeof inner[0] === 'string') return change(`[[${inner[0]}]]`);
  return list.map((each) => withLinkText(each, change));
}
