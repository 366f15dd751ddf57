import type { GraphLink, GraphView } from '../../../graph/view.ts';
import type { Relink } from '../../../note/change.ts';
import { baseName } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import { writeLinkpath } from '../../../vault/links/write-linkpath.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';

/** Rewrites every link to a removed note so that it leads to its replacement. */
export function redirectLinks(
  graph: GraphView,
  redirects: ReadonlyMap<NotePath, NotePath>,
  isRemoved: (path: string) => boolean,
): readonly FileChange[] {
  const byNote = new Map<NotePath, Map<string, Relink>>();
  for (const source of redirects.keys()) {
    const target = lastOf(redirects, source);
    for (const link of graph.backlinks(source)) {
      if (isRemoved(link.from)) continue;
      const relink = rewrite(graph, link, { source, target });
      if (relink === null) continue;
      const known = byNote.get(link.from) ?? new Map<string, Relink>();
      byNote.set(link.from, known.set(`${link.form} ${relink.link}`, relink));
    }
  }
  return [...byNote].map(([path, links]) => ({ kind: 'change', path, changes: [{ op: 'relink', links: [...links.values()] }] }));
}

/** Returns the end of a chain of redirects. */
function lastOf(redirects: ReadonlyMap<NotePath, NotePath>, from: NotePath): NotePath {
  let last = from;
  for (let next = redirects.get(from); next !== undefined; next = redirects.get(next)) last = next;
  return last;
}

function rewrite(graph: GraphView, link: GraphLink, { source, target }: { source: NotePath; target: NotePath }): Relink | null {
  const to = writeLinkpath({
    format: 'minimal',
    form: link.form,
    linkpath: link.linkpath,
    before: source,
    target,
    source: link.from,
    top: graph.bundles.topOf(link.from),
    resolve: (linkpath) => {
      const found = graph.resolve({ linkpath, from: link.from });
      return { path: found.kind === 'note' ? found.path : null, isAmbiguous: found.isAmbiguous === true };
    },
  });
  // The replacement does not have the heading, so the subpath is omitted.
  return to === null
    ? null
    : { link: link.linkpath + link.subpath, form: link.form, to, label: { from: baseName(source), to: baseName(target) } };
}
