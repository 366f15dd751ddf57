import type { GraphView, NoteEntry } from '../graph/view.ts';
import { baseName, foldKey } from '../note/path.ts';
import { firstCharacters } from './cut.ts';

/** A link to a note as it is written: `[[linkpath]]`, or `[[linkpath|shown]]`. */
export interface LinkTo {
  readonly linkpath: string;
  readonly shown: string | null;
}

/**
 * The link from one note to another: the bare file name where that leads to the target and to nothing else, else the path.
 * `title` is shown where it is not what the link says already.
 */
export function linkTo(graph: GraphView, link: { from: string; target: string; title?: string }): LinkTo {
  const name = baseName(link.target);
  const found = graph.resolve({ linkpath: name, from: link.from });
  const isOnly = found.kind === 'note' ? found.path === link.target && found.isAmbiguous !== true : found.kind === 'unresolved';
  const linkpath = isOnly ? name : link.target.replace(/\.md$/i, '');
  const shown = showable(link.title ?? name);
  return { linkpath, shown: shown === linkpath ? null : shown };
}

/** `linkTo` as a wikilink, for a value of the frontmatter. */
export function wikilinkTo(graph: GraphView, link: Parameters<typeof linkTo>[1]): string {
  const { linkpath, shown } = linkTo(graph, link);
  return `[[${linkpath}${shown === null ? '' : `|${shown}`}]]`;
}

/** A title as a link can show it. */
function showable(title: string): string {
  const shown = firstCharacters(title.replace(/[[\]|\\\s]+/gu, ' ').trim(), 200).trim();
  return shown === '' ? 'unnamed' : shown;
}

/** The one note that has this name as its title or alias, though not as its file name: links go by file names, so a link by it leads nowhere. */
export function namedBy(graph: GraphView, linkpath: string): NoteEntry | null {
  if (linkpath.includes('/')) return null;
  const name = linkpath.replace(/\.md$/i, '');
  const found = graph.lookup(name);
  if (found.kind !== 'found') return null;
  const key = foldKey(name);
  const isNamed = [found.entry.title, ...found.entry.aliases].some((each) => foldKey(each) === key);
  return isNamed && foldKey(baseName(found.entry.path)) !== key ? found.entry : null;
}
