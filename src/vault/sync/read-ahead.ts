import { setImmediate } from 'node:timers/promises';
import { linkKey } from '../../graph/links/resolve.ts';
import type { Graph } from '../../graph/graph.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { toNotePath } from '../../note/path.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Sync } from './sync.ts';

/** Longest stretch without giving way, in milliseconds. */
const SLICE_MS = 8;

/** So many notes that a note links to are read along with it, so that its links lead where they do once all are read. */
const MAX_ALONG = 100;

/** Reads a note out of turn, with those that its links name; false where no note has this path. */
export async function readAhead({ graph, sync, path }: { graph: Graph; sync: Sync; path: string }): Promise<boolean> {
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
  // Whoever asks for links would resolve those of all that is read so far at one go.
  await runInSlices(createSlice(SLICE_MS), graph.resolvePending());
  return true;
}
