import type { GraphLink, GraphView, NoteEntry } from '../graph/view.ts';
import { foldKey } from '../note/path.ts';
import { linkTo, namedBy } from './links.ts';
import { firstThatFit, shortenMiddle } from './shorten.ts';

/** How many warnings about one note an answer carries: an index of hundreds of unwritten notes would be nothing but warnings. */
const MAX_AT_ONCE = 30;

/** Most characters of one warning: a link may be as long as a note. */
const MAX_LENGTH = 500;

/** What one session has been told about each note: a warning is delivered once, and again when it went away and came back. */
export class WarningLedger {
  readonly #delivered = new Map<string, ReadonlySet<string>>();

  /** The warnings of a note that were not delivered yet, as many as fit into so many characters; they count as delivered from now on. */
  take(graph: GraphView, entry: NoteEntry, characters = Number.POSITIVE_INFINITY): readonly string[] {
    const current = listWarnings(graph, entry);
    const before = this.#delivered.get(entry.path);
    const fresh = before === undefined ? current : current.filter((warning) => !before.has(warning));
    const now = firstThatFit(fresh.slice(0, MAX_AT_ONCE), characters);
    const later = new Set(fresh.slice(now.length));
    if (current.length === 0) this.#delivered.delete(entry.path);
    else this.#delivered.set(entry.path, new Set(later.size === 0 ? current : current.filter((warning) => !later.has(warning))));
    const told = now.map((warning) => shortenMiddle(warning, MAX_LENGTH));
    if (later.size === 0) return told;
    return [...told, `${later.size} more warnings about this note come with the next answers that show it.`];
  }
}

/** All that is wrong with one note now: broken links in the order of the text, then what could not be read. */
export function listWarnings(graph: GraphView, entry: NoteEntry): readonly string[] {
  // A long note may say the same thousands of times.
  const unresolved = new Map<string, GraphLink>();
  for (const link of graph.links(entry.path)) {
    if (link.target.kind === 'unresolved' && !unresolved.has(link.linkpath)) unresolved.set(link.linkpath, link);
  }
  const broken = [...unresolved.values()].map((link) => `Broken link: [[${link.linkpath}]]${toRemedy(graph, link)}`);
  const problems = entry.problems.map((problem) =>
    problem.line === undefined ? problem.message : `${problem.message} (line ${problem.line})`,
  );
  return [...new Set([...broken, ...listDuplicateTags(entry), ...problems])];
}

/** What to write instead, where a link names a note by its title or a former one. */
function toRemedy(graph: GraphView, { from, linkpath }: GraphLink): string {
  const meant = namedBy(graph, linkpath);
  if (meant === null) return '';
  const link = linkTo(graph, { from, target: meant.path, title: linkpath });
  return `; write [[${link.linkpath}${link.shown === null ? '' : `|${link.shown}`}]]`;
}

/** Tags that the frontmatter lists again, as they are written there. */
function listDuplicateTags(entry: NoteEntry): readonly string[] {
  const listed = entry.properties['tags'];
  if (!Array.isArray(listed)) return [];
  const seen = new Set<string>();
  return listed.flatMap((tag: unknown) => {
    if (typeof tag !== 'string') return [];
    const key = foldKey(tag.trim().replace(/^#/, ''));
    if (key === '' || !seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [`Duplicate tag ignored: ${tag.trim().replace(/^#/, '')}`];
  });
}
