import type { GraphView } from '../graph/view.ts';
import { baseName } from '../note/path.ts';
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
