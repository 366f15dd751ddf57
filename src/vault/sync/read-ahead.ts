import { setImmediate } from 'node:timers/promises';
import { linkKey } from '../../graph/links/resolve.ts';
import type { Graph } from '../../graph/graph.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { toNotePath } from '../../note/path.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Sync } from './sync.ts';

/** Longest time without yielding. */
const SLICE_MS = 8;

/** Linked notes that are read along with a note, so that its links resolve as they will once all are read. */
const MAX_ALONG = 100;

/** Reads a note and those that it links to before their turn; false if no note has this path. */
export async function readAhead(from: {
  readonly graph: Graph;
  readonly sync: Pick<Sync, 'inventory' | 'look' | 'unread'>;
  readonly path: string;
}): Promise<boolean> {
  const { graph, sync, path } = from;
  const notePath = toNotePath(path);
  if (notePath === null) return false;
  if (sync.inventory.note(notePath) === null) sync.look([notePath]);
  if (graph.get(notePath) === null) return false;
  const keys = new Set(graph.linkTexts(notePath).map(({ link }) => linkKey(splitLinkText(link).linkpath)));
  const along = (await runInSlices(createSlice(SLICE_MS), sync.unread(keys))).slice(0, MAX_ALONG);
  for (const other of along) {
    sync.look([other]);
    await setImmediate();
  }
  // A later query for links would otherwise resolve all pending links at once.
  await runInSlices(createSlice(SLICE_MS), graph.resolvePending());
  return true;
}
