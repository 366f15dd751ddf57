import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FolderScope } from '../../folder-globs.ts';
import { openGraph } from '../../graph/open-graph.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import type { Notes } from '../vault.ts';

/** A graph of the notes of some folders, kept in step with the graph of the whole vault. */
export interface ScopeGraph {
  readonly graph: GraphView;
  /** Copies the present notes, in slices, once the whole vault is complete. Empty until then. */
  fill(): Promise<void>;
}

/** Notes copied per step: a few milliseconds of work. */
const NOTES_PER_STEP = 200;

/**
 * Creates a graph as if only these folders existed: a link that leads outside is unresolved, or leads to a note inside with the same name.
 * Notes are copied from the whole graph, so no file is read again; only links are resolved again.
 */
export function createScopeGraph(
  { graph: whole, notes }: { readonly graph: GraphView; readonly notes: Pick<Notes, 'onChange'> },
  folders: FolderScope,
): ScopeGraph {
  const graph = openGraph();
  let isFollowing = false;

  const update = (path: string): void => {
    const entry = whole.get(path);
    if (entry !== null) graph.adopt(entry, whole.linkTexts(path));
    else if (whole.isAttachment(path)) graph.putAttachment(path);
    else graph.remove(path);
  };
  const follow = ({ before, after }: GraphChange): void => {
    const [was, is] = [before?.path ?? null, after?.path ?? null];
    const isMove = was !== null && was !== is && folders.has(was);
    if (is === null || !folders.has(is)) return isMove ? update(was) : undefined;
    const entry = whole.get(is);
    if (isMove && entry !== null && graph.get(was) !== null) graph.adopt(entry, whole.linkTexts(is), was);
    // Another note may have taken the path that this one left.
    if (isMove) update(was);
    update(is);
  };
  // An `index.md` outside says nothing in here; the settings do.
  const nameBundles = (): void => {
    if (!isDeepStrictEqual(whole.bundles.named, graph.bundles.named)) graph.nameBundles(whole.bundles.named);
  };
  whole.onChange((changes) => {
    nameBundles();
    if (isFollowing) graph.batch(() => changes.forEach(follow));
  });
  notes.onChange((paths) => {
    // Notes are handled above; the graph does not report attachments.
    const others = isFollowing ? paths.filter((path) => folders.has(path) && graph.isAttachment(path) !== whole.isAttachment(path)) : [];
    if (others.length > 0) graph.batch(() => others.forEach(update));
  });

  return {
    graph,
    async fill() {
      isFollowing = true;
      nameBundles();
      const paths = [...whole.entries({ includeHidden: true })].map(({ path }): string => path);
      const inside = [...paths, ...whole.attachments()].filter((path) => folders.has(path));
      for (let at = 0; at < inside.length; at += NOTES_PER_STEP) {
        graph.batch(() => inside.slice(at, at + NOTES_PER_STEP).forEach(update));
        await setImmediate();
      }
    },
  };
}
