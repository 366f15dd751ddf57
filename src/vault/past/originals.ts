import { compareText } from '../../note/text.ts';
import { ifAllowed } from '../../store/folder/read-allowed.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';

/**
 * Tells notes from copies that people made of their files, which have the same id: gives the path of the note among such files, the
 * one that the history knew first under the id, else by path, the shortest first. The history is gone through only when several files
 * share an id, and again only when it has grown.
 */
export function openOriginals(history: Segments<HistoryEvent>): (id: string, paths: readonly string[]) => string {
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
    // Lines that were not written here count where no own line tells: a path says even less about which file is the copy.
    const home = [homes.own.get(id), homes.all.get(id)].find((path) => path !== undefined && paths.includes(path));
    const original = home ?? sorted[0] ?? '';
    // The same one each time, for as long as the same files are there.
    known.set(key, original);
    for (const oldest of known.keys()) if (known.size > MAX_KNOWN_FILES) known.delete(oldest);
    return original;
  };
}

const MAX_KNOWN_FILES = 10_000;

/** Where each id is, by the lines that were written in this folder, and by all. */
interface Homes {
  readonly own: ReadonlyMap<string, string>;
  readonly all: ReadonlyMap<string, string>;
}

/** Follows each id from the file that had it first. */
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
