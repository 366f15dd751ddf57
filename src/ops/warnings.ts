import type { GraphView, NoteEntry } from '../graph/view.ts';
import { foldKey } from '../note/path.ts';
import { buildLink, findByTitle } from './links.ts';
import { takeWhileFits, shortenMiddle } from './shorten.ts';

/** Maximum number of warnings about one note in an answer: an index of hundreds of unwritten notes would be nothing but warnings. */
const MAX_NOTE_WARNINGS = 30;

/** Maximum characters of one warning: a link may be as long as a note. */
const MAX_WARNING_CHARACTERS = 500;

/** The warnings that one session has had about each note. Each is delivered once, and again after it was resolved and came back. */
export class WarningLedger {
  readonly #delivered = new Map<string, ReadonlySet<string>>();

  /** Returns the undelivered warnings about a note that fit into `characters`, and marks them as delivered. */
  take(graph: GraphView, entry: NoteEntry, characters = Number.POSITIVE_INFINITY): readonly string[] {
    const current = listWarnings(graph, entry);
    const before = this.#delivered.get(entry.path);
    const fresh = before === undefined ? current : current.filter((warning) => !before.has(warning));
    const now = takeWhileFits(fresh.slice(0, MAX_NOTE_WARNINGS), characters);
    const later = new Set(fresh.slice(now.length));
    if (current.length === 0) this.#delivered.delete(entry.path);
    else this.#delivered.set(entry.path, new Set(later.size === 0 ? current : current.filter((warning) => !later.has(warning))));
    const delivered = now.map((warning) => shortenMiddle(warning, MAX_WARNING_CHARACTERS));
    if (later.size === 0) return delivered;
    return [...delivered, `${later.size} more warnings about this note come with the next answers that show it.`];
  }
}

/** Lists the current warnings about one note: broken links in document order, duplicate tags, then parse problems. */
export function listWarnings(graph: GraphView, entry: NoteEntry): readonly string[] {
  // A long note may repeat the same link thousands of times.
  const unresolved = new Map<string, string>();
  for (const { linkpath, subpath } of graph.links(entry.path, 'unresolved')) {
    const text = linkpath + subpath;
    if (unresolved.has(text)) continue;
    // The title "C# in depth" is read as a heading of a note "C".
    unresolved.set(text, subpath !== '' && findByTitle(graph, text) !== null ? text : linkpath);
  }
  const names = new Set(unresolved.values());
  const broken = [...names].map((name) => `Broken link: [[${name}]]${suggestLink(graph, entry.path, name)}`);
  const problems = entry.problems.map((problem) =>
    problem.line === undefined ? problem.message : `${problem.message} (line ${problem.line})`,
  );
  return [...new Set([...broken, ...listDuplicateTags(entry), ...problems])];
}

/** Suggests what to write instead of a link that names a note by its title or alias. */
function suggestLink(graph: GraphView, from: string, name: string): string {
  const meant = findByTitle(graph, name);
  if (meant === null) return '';
  const link = buildLink(graph, { from, target: meant.path, title: name });
  return `; write [[${link.linkpath}${link.displayText === null ? '' : `|${link.displayText}`}]]`;
}

/** Lists repeated tags of the frontmatter, as they are written there. */
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
