import type { GraphView, NoteEntry } from '../graph/view.ts';
import { baseName, foldKey } from '../note/path.ts';

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
