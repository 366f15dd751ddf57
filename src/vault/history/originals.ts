import { compareText } from '../../note/text.ts';
import { ifAllowed } from '../../store/folder/read-allowed.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';

const MAX_KNOWN_FILES = 10_000;

/**
 * Returns a function that picks the original among files that share an id because people copied a note: the file the history knew
 * first under the id, else the shortest path, then the first alphabetically. Reads the history only when several files share an id, and
 * again only when it has grown.
 */
export function createOriginalFinder(history: Segments<HistoryEvent>): (id: string, paths: readonly string[]) => string {
  let homes: Homes = { own: new Map(), all: new Map() };
  let readTo = -1;
  const known = new Map<string, string>();
  return (id, paths) => {
    const sorted = paths.toSorted((a, b) => a.length - b.length || compareText(a, b));
    const key = [id, ...sorted].join('\n');
    const before = known.get(key);
    if (before !== undefined) return before;
    const { lastSeq } = history;
    if (lastSeq !== readTo) [homes, readTo] = [readHomes(history), lastSeq];
    // Foreign lines count only if no own line names the note; a path alone says even less about which file is the copy.
    const home = [homes.own.get(id), homes.all.get(id)].find((path) => path !== undefined && paths.includes(path));
    const original = home ?? sorted[0] ?? '';
    // Remembered so that the answer stays the same while the same files are there.
    known.set(key, original);
    for (const oldest of known.keys()) if (known.size > MAX_KNOWN_FILES) known.delete(oldest);
    return original;
  };
}

/** The original path of each id, by the lines written in this folder, and by all lines. */
interface Homes {
  readonly own: ReadonlyMap<string, string>;
  readonly all: ReadonlyMap<string, string>;
}

/** Follows the file that had each id first, through its moves. */
function readHomes(history: Segments<HistoryEvent>): Homes {
  const own = new Map<string, string>();
  const all = new Map<string, string>();
  for (const segment of ifAllowed(() => history.names(), [])) {
    for (const event of history.readAtOnce(segment)) {
      if (event.foreign !== true) followHome(own, event);
      followHome(all, event);
    }
  }
  return { own, all };
}

function followHome(homes: Map<string, string>, { node, path, hash, changes }: HistoryEvent): void {
  const home = homes.get(node);
  const cameFrom = changes.find(({ field }) => field === 'path')?.before;
  if (hash === undefined) {
    if (home === path) homes.delete(node);
  } else if (home === undefined || cameFrom === home) homes.set(node, path);
}
