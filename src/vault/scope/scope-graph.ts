import { setImmediate } from 'node:timers/promises';
import type { FolderScope } from '../../folder-globs.ts';
import { openGraph } from '../../graph/open-graph.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import type { Vault } from '../vault.ts';

/** A graph of the notes of some folders alone, which follows the graph of the whole vault. */
export interface ScopeGraph {
  readonly graph: GraphView;
  /** Takes over what there is now, in slices, once the whole vault is complete. Until then it is empty. */
  fill(): Promise<void>;
}

/** Notes that are taken over at one go: some milliseconds of work. */
const SLICE = 200;

/**
 * A graph as it would be if nothing but these folders were there: a link that leads out of them leads nowhere, or to a note inside that
 * has the name too. Notes are taken from the whole graph as they stand there, so that no file is read again; only links are resolved anew.
 */
export function openScopeGraph({ graph: whole, onChange }: Pick<Vault, 'graph' | 'onChange'>, folders: FolderScope): ScopeGraph {
  const graph = openGraph();
  let isFollowing = false;

  /** Brings one path up to date. */
  const look = (path: string): void => {
    const entry = whole.get(path);
    if (entry !== null) graph.adopt(entry, whole.linkTexts(path));
    else if (whole.isAttachment(path)) graph.putAttachment(path);
    else graph.remove(path);
  };
  const follow = ({ before, after }: GraphChange): void => {
    const [was, is] = [before?.path ?? null, after?.path ?? null];
    const isMove = was !== null && was !== is && folders.has(was);
    if (is === null || !folders.has(is)) return isMove ? look(was) : undefined;
    const entry = whole.get(is);
    if (isMove && entry !== null && graph.get(was) !== null) graph.adopt(entry, whole.linkTexts(is), was);
    // What left a place may have been followed there by another one.
    if (isMove) look(was);
    look(is);
  };
  whole.onChange((changes) => {
    if (isFollowing) graph.batch(() => changes.forEach(follow));
  });
  onChange((paths) => {
    // Notes are here already; of files that are none the graph does not tell.
    const others = isFollowing ? paths.filter((path) => folders.has(path) && graph.isAttachment(path) !== whole.isAttachment(path)) : [];
    if (others.length > 0) graph.batch(() => others.forEach(look));
  });

  return {
    graph,
    async fill() {
      isFollowing = true;
      const paths = [...whole.entries({ includeHidden: true })].map(({ path }): string => path);
      const inside = [...paths, ...whole.attachments()].filter((path) => folders.has(path));
      for (let at = 0; at < inside.length; at += SLICE) {
        graph.batch(() => inside.slice(at, at + SLICE).forEach(look));
        await setImmediate();
      }
    },
  };
}
