import { resolverOf } from '../../../graph/links/resolve.ts';
import type { GraphLink, GraphView, UnresolvedTarget } from '../../../graph/view.ts';
import type { Relink } from '../../../note/change.ts';
import { foldKey } from '../../../note/path.ts';
import type { FileChange, Plan } from '../../plan/plan.ts';
import { isTooLargeToRewrite, withRevision } from '../move.ts';
import type { MoveContext } from '../move.ts';
import { writeLinkpath } from '../write-linkpath.ts';

/** Returns what makes a link that leads nowhere lead to a file; null if no link text can. */
export function relinkTo({ graph, style }: MoveContext, link: GraphLink, target: string): Relink | null {
  const resolve = resolverOf(graph);
  const { from: source, linkpath, subpath, form } = link;
  const written = writeLinkpath({
    format: style.format,
    form,
    linkpath,
    before: target,
    target,
    source,
    top: graph.bundles.topOf(source),
    resolve: (to) => resolve({ linkpath: to, from: source }),
  });
  return written === null ? null : { link: linkpath + subpath, form, to: written + subpath };
}

/** Returns the links of a note that lead to this missing target, in any of its spellings. */
function linksToMissing(graph: GraphView, source: string, linkpath: string): readonly GraphLink[] {
  const key = missingKey(linkpath);
  return graph.links(source).filter((link) => link.target.kind === 'unresolved' && missingKey(link.linkpath) === key);
}

/** Spellings of one missing name have one key. */
export function missingKey(linkpath: string): string {
  return foldKey(linkpath).replace(/(?<!\.md)(?:\.md)+$/, '');
}

/** Plans to let all links to missing targets lead to files. */
export function planRetargets(
  context: MoveContext,
  retargets: readonly { readonly missing: UnresolvedTarget; readonly to: string }[],
): Plan {
  const relinks = new Map<UnresolvedTarget['sources'][number], Relink[]>();
  const warnings: string[] = [];
  for (const { missing, to } of retargets) {
    for (const source of missing.sources) {
      for (const link of linksToMissing(context.graph, source, missing.linkpath)) {
        const relink = isTooLargeToRewrite(context.graph, source) ? null : relinkTo(context, link, to);
        if (relink === null)
          warnings.push(`${source}: the link [[${link.linkpath}]] cannot be written so that it leads to ${to}; it was left alone.`);
        else relinks.set(source, [...(relinks.get(source) ?? []), relink]);
      }
    }
  }
  const files = [...relinks].map(([path, links]): FileChange => ({
    kind: 'change',
    path,
    changes: withRevision(context, path, [{ op: 'relink', links: distinct(links) }]),
  }));
  return { files, warnings };
}

/** The same text is rewritten everywhere in a note at once. */
function distinct(relinks: readonly Relink[]): readonly Relink[] {
  return relinks.filter(({ link, form }, index) => relinks.findIndex((other) => other.link === link && other.form === form) === index);
}
